// Verifies deliveries with the packages receivers use, and with the snippet of docs/webhooks.md.
// node verify_webhook.js SNIPPET.js DELIVERIES.json: [{secret, headers, body, good}]. Prints what came out wrong; exit 1.
'use strict';
const fs = require('node:fs');
const { Webhook: Standard } = require('standardwebhooks');
const { Webhook: Svix } = require('svix');

const [, , snippetFile, deliveriesFile] = process.argv;
const snippet = new Function('require', fs.readFileSync(snippetFile, 'utf8') + '\nreturn verify;')(require);
const verifiers = {
  standardwebhooks: (secret, headers, body) => new Standard(secret).verify(body, headers),
  svix: (secret, headers, body) => new Svix(secret).verify(body, headers),
  snippet,
};

let wrong = 0;
for (const { name, secret, headers, body, good } of JSON.parse(fs.readFileSync(deliveriesFile, 'utf8'))) {
  for (const [who, verify] of Object.entries(verifiers)) {
    let error = null;
    try { verify(secret, headers, body); } catch (e) { error = e; }
    if ((error === null) === good) continue;
    console.log(`${name}: ${who} ${good ? `refused it: ${error.message}` : 'accepted it'}`);
    ++wrong;
  }
}
process.exit(wrong === 0 ? 0 : 1);
