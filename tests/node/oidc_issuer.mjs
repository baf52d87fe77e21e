// A real OpenID Connect issuer (npm oidc-provider): client-credentials tokens as JWTs for the audience `eilbote`, with any
// of its scopes. Prints its port. POST /rotate puts a new set of keys in front of the old ones; POST /withdraw takes the
// old ones out; POST /stale?tokens=N makes the next N tokens ones whose time was over two minutes ago. Every client named CLIENT
// has the secret CLIENT-secret.
// Started by tests/support/real_issuer.h: node oidc_issuer.mjs PORT
import crypto from 'node:crypto';
import http from 'node:http';
import Provider from 'oidc-provider';

const scopes = 'mail.send mail.status:read mailer.worker webhook.send webhook.status:read ops.read ops.admin';
const resource = 'urn:eilbote:';  // and the algorithm the token is to be signed with
let generation = 0;
let stale = 0;           // tokens to come that have ended
let tokenSeconds = 300;  // of the token that is being made

function newKeys() {
  generation += 1;
  const jwk = (kind, options, kid) => ({
    ...crypto.generateKeyPairSync(kind, options).privateKey.export({format: 'jwk'}), kid: `${kid}-${generation}`, use: 'sig'});
  return [jwk('rsa', {modulusLength: 2048}, 'rsa'), jwk('ec', {namedCurve: 'P-256'}, 'ec'), jwk('ed25519', {}, 'ed')];
}

const client = (id) => ({
  client_id: id, client_secret: `${id}-secret`, grant_types: ['client_credentials'], redirect_uris: [], response_types: []});

function issuerWith(keys, port) {
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    jwks: {keys},
    clients: ['shop', 'billing', 'operator', 'surveyweb', 'airflow'].map(client),
    scopes: scopes.split(' '),
    features: {
      devInteractions: {enabled: false},
      clientCredentials: {enabled: true},
      resourceIndicators: {
        enabled: true,
        defaultResource: () => `${resource}RS256`,
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, indicator) => ({
          scope: scopes, audience: 'eilbote', accessTokenTTL: tokenSeconds, accessTokenFormat: 'jwt',
          jwt: {sign: {alg: indicator.slice(resource.length)}}}),
      },
    },
  });
  return provider.callback();
}

let keys = newKeys();
let answer = null;
let port = Number(process.argv[2] || 0);
const server = http.createServer((request, response) => {
  if (request.method === 'POST' && (request.url === '/rotate' || request.url === '/withdraw')) {
    keys = request.url === '/rotate' ? [...newKeys(), ...keys] : keys.slice(0, 3);
    answer = issuerWith(keys, port);
    response.end('ok');
    return;
  }
  if (request.method === 'POST' && request.url.startsWith('/stale?tokens=')) {
    stale = Number(request.url.slice('/stale?tokens='.length));
    response.end('ok');
    return;
  }
  if (request.url === '/token') {
    tokenSeconds = stale > 0 ? -120 : 300;
    stale = Math.max(0, stale - 1);
  }
  answer(request, response);
});
server.listen(port, '127.0.0.1', () => {
  port = server.address().port;
  answer = issuerWith(keys, port);
  console.log(port);
});
