// A real OpenID Connect issuer (npm oidc-provider) with a public client for the console: authorization code with PKCE, and access
// tokens as JWTs for the audience `eilbote`. Whoever logs in as `reader` may have ops.read only, anybody else both scopes.
// `issuer.tokenSeconds` is how long the next tokens are good for; `issuer.logins` counts forms that were filled in.
import crypto from 'node:crypto';
import http from 'node:http';
import Provider, {interactionPolicy} from 'oidc-provider';
import {freePort} from './serve.mjs';

const RESOURCE = 'urn:eilbote';
export const CLIENT = 'eilbote-console';
const scopesOf = (who) => (who === 'reader' ? 'ops.read' : 'ops.read ops.admin');

const form = (uid) => `<!doctype html><title>Log in</title><form method=post action="/interaction/${uid}">
  <label>Name <input name=login></label> <button>Log in</button></form>`;

// People get those of the scopes that they may have, and are not asked about the others.
function withoutConsent() {
  const policy = interactionPolicy.base();
  policy.remove('consent');
  return policy;
}

function configuration(issuer, redirectUris) {
  const key = crypto.generateKeyPairSync('rsa', {modulusLength: 2048}).privateKey.export({format: 'jwk'});
  return {
    jwks: {keys: [{...key, kid: 'k1', use: 'sig'}]},
    cookies: {keys: [crypto.randomBytes(16).toString('hex')]},
    clients: [{client_id: CLIENT, token_endpoint_auth_method: 'none', grant_types: ['authorization_code'], response_types: ['code'],
      redirect_uris: redirectUris}],
    scopes: ['openid', 'ops.read', 'ops.admin'],
    pkce: {required: () => true},
    clientBasedCORS: () => true,
    conformIdTokenClaims: false,
    claims: {openid: ['sub', 'name']},
    interactions: {url: (ctx, interaction) => `/interaction/${interaction.uid}`, policy: withoutConsent()},
    findAccount: (ctx, id) => ({accountId: id, claims: () => ({sub: id, name: `<b>${id}</b>`})}),
    async loadExistingGrant(ctx) {
      const {client, session, provider} = ctx.oidc;
      const grant = new provider.Grant({clientId: client.clientId, accountId: session.accountId});
      grant.addOIDCScope('openid ops.read ops.admin');
      grant.addResourceScope(RESOURCE, scopesOf(session.accountId));
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: {enabled: false},
      rpInitiatedLogout: {enabled: true, logoutSource: (ctx, fields) => { ctx.body = `<!doctype html><title>Log out</title>${fields}`; }},
      resourceIndicators: {
        enabled: true, defaultResource: () => RESOURCE, useGrantedResource: () => true,
        getResourceServerInfo: () => ({scope: 'ops.read ops.admin', audience: 'eilbote', accessTokenTTL: issuer.tokenSeconds,
          accessTokenFormat: 'jwt', jwt: {sign: {alg: 'RS256'}}}),
      },
    },
  };
}

const bodyOf = async (request) => {
  let text = '';
  for await (const part of request) text += part;
  return new URLSearchParams(text);
};

/** `redirectUris` must be known beforehand: the ports of the servers are chosen first. */
export async function startIssuer(redirectUris) {
  const port = await freePort();
  const issuer = {url: `http://127.0.0.1:${port}`, tokenSeconds: 300, logins: 0, resource: RESOURCE};
  const provider = new Provider(issuer.url, configuration(issuer, redirectUris));
  provider.on('server_error', (ctx, error) => console.error('issuer:', error));
  const answer = provider.callback();
  const server = http.createServer(async (request, response) => {
    if (request.url === '/favicon.ico') return response.writeHead(204).end();
    const uid = /^\/interaction\/([\w-]+)$/.exec(request.url)?.[1];
    if (!uid) return answer(request, response);
    if (request.method === 'GET') return response.setHeader('Content-Type', 'text/html').end(form(uid));
    issuer.logins += 1;
    const accountId = (await bodyOf(request)).get('login');
    return provider.interactionFinished(request, response, {login: {accountId}});
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  issuer.end = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return issuer;
}
