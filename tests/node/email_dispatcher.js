// Another program on the same broker, written from seed 004 alone: it knows the names of the queues and that a message has
// EmailId and MessageKey. The tests let it read what Eilbote published, and publish what Eilbote is to send.
//
// node email_dispatcher.js read URL QUEUE COUNT        prints COUNT messages, one per line, and acknowledges them
// node email_dispatcher.js publish URL QUEUE TEXT...   publishes each text as it is, and waits until the broker has them
// node email_dispatcher.js depth URL QUEUE             prints how many messages wait
// The three wait until the queue is there.
// node email_dispatcher.js delete URL QUEUE            deletes the queue with all in it, as a person by mistake
'use strict';
const amqp = require('amqplib');

const [, , verb, url, queue, ...rest] = process.argv;

// Queues are somebody else's: they are looked at and never made. Whoever makes this one may be about to.
async function depth(connection) {
  for (;;) {
    const channel = await connection.createChannel();
    channel.on('error', () => {});  // told by the call below as well
    try {
      return (await channel.checkQueue(queue)).messageCount;
    } catch (error) {
      if (error.code !== 404) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function read(connection, count) {
  const channel = await connection.createChannel();
  await channel.prefetch(count);
  let left = count;
  if (left === 0) return;
  await new Promise((resolve, reject) => {
    channel.on('error', reject);
    channel.consume(queue, (message) => {
      if (message === null) return reject(new Error('the queue is gone'));
      if (left === 0) return undefined;  // more than was asked for: it goes back with the channel
      console.log(message.content.toString('utf8'));
      channel.ack(message);
      if (--left === 0) resolve();
      return undefined;
    }).catch(reject);
  });
  await channel.close();  // what was acknowledged is so for good once this is answered
}

async function publish(connection, texts) {
  const channel = await connection.createConfirmChannel();
  channel.on('return', () => { console.error('no such queue'); process.exit(1); });
  for (const text of texts) {
    channel.sendToQueue(queue, Buffer.from(text, 'utf8'), { persistent: true, mandatory: true,
      contentType: 'application/json' });
  }
  await channel.waitForConfirms();
  console.log(String(texts.length));
}

async function main() {
  const connection = await amqp.connect(url);
  if (verb !== 'delete') await depth(connection);
  if (verb === 'read') await read(connection, Number(rest[0]));
  else if (verb === 'publish') await publish(connection, rest);
  else if (verb === 'depth') console.log(String(await depth(connection)));
  else if (verb === 'delete') {
    const channel = await connection.createChannel();
    console.log(String((await channel.deleteQueue(queue)).messageCount));
  } else throw new Error(`read, publish, depth or delete; not ${verb}`);
  await connection.close();
}

main().catch((error) => { console.error(String(error)); process.exit(1); });
