// An SQS of one's own (npm fauxqs), in memory. Prints its port and the port of its control: POST /trouble there cuts every
// connection and lets no new one in, POST /recover takes it back; queues and messages stay.
// Started by tests/support/sqs_server.h: node sqs_server.mjs
import http from 'node:http';
import {buildApp} from 'fauxqs';
// Not of its public part: see below.
import {INVALID_MESSAGE_BODY_CHAR} from './node_modules/fauxqs/dist/sqs/sqsTypes.js';

// SQS takes every character from U+10000 on; fauxqs sees their halves, and refuses those.
INVALID_MESSAGE_BODY_CHAR.compile('[^\\x09\\x0A\\x0D\\x20-\\uD7FF\\uE000-\\uFFFD\\u{10000}-\\u{10FFFF}]', 'u');

const app = buildApp({logger: false});

// A poll whose client is gone gives back what it took, as AWS does; fauxqs alone would hide it until its time is over.
app.addHook('onSend', async (request, reply, payload) => {
  if (request.headers['x-amz-target'] !== 'AmazonSQS.ReceiveMessage' || !request.raw.socket.destroyed) return payload;
  const messages = JSON.parse(payload || '{}').Messages ?? [];
  if (messages.length > 0) {
    await app.inject({
      method: 'POST', url: '/',
      headers: {'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ChangeMessageVisibilityBatch'},
      payload: JSON.stringify({
        QueueUrl: request.body.QueueUrl,
        Entries: messages.map((one, i) => ({Id: `${i}`, ReceiptHandle: one.ReceiptHandle, VisibilityTimeout: 0}))}),
    });
  }
  return payload;
});

let inTrouble = false;
const sockets = new Set();
app.server.on('connection', (socket) => {
  if (inTrouble) {
    socket.destroy();
    return;
  }
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
});

const control = http.createServer((request, response) => {
  inTrouble = request.url === '/trouble';
  if (inTrouble) sockets.forEach((socket) => socket.destroy());
  response.end('ok');
});

await app.listen({port: 0, host: '127.0.0.1'});
control.listen(0, '127.0.0.1', () => console.log(`${app.server.address().port} ${control.address().port}`));
