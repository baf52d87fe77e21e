// An endpoint that speaks HTTP/2 over TLS (and HTTP/1.1 to who asks for it). Prints its port, then a line of JSON for every
// request. /refused is refused as a stream that was not worked on; everything else is answered with 200.
// Started by tests/unit/webhook_http2_test.cpp: node http2_endpoint.js CERTIFICATE KEY
'use strict';
const fs = require('fs');
const http2 = require('http2');

const [certificate, key] = process.argv.slice(2);
const server = http2.createSecureServer(
    {cert: fs.readFileSync(certificate), key: fs.readFileSync(key), allowHTTP1: true});

server.on('request', (request, response) => {
  let body = '';
  request.on('data', (chunk) => body += chunk);
  request.on('end', () => {
    console.log(JSON.stringify({version: request.httpVersion, path: request.url, body, port: request.socket.remotePort}));
    if (request.url === '/refused') {
      response.stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    response.writeHead(200);
    response.end('ok');
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
