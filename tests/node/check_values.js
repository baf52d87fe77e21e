// The chart's values against its values.schema.json, as Helm checks them: the defaults with what somebody gives laid over
// them. node check_values.js CHART. The examples must be taken, and each value of a table below must be refused.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const YAML = require('yaml');
const Ajv = require('ajv');

const chart = process.argv[2];
const read = (file) => YAML.parse(fs.readFileSync(path.join(chart, file), 'utf8'));
const schema = JSON.parse(fs.readFileSync(path.join(chart, 'values.schema.json'), 'utf8'));
const validate = new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false, strictTypes: false }).compile(schema);
const faults = [];

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

function laidOver(defaults, given) {
  const merged = { ...defaults };
  for (const [name, value] of Object.entries(given)) {
    if (value === null) delete merged[name];
    else merged[name] = isObject(value) && isObject(defaults[name]) ? laidOver(defaults[name], value) : value;
  }
  return merged;
}

const defaults = read('values.yaml');
const taken = (given) => validate(laidOver(defaults, given));
const inWords = () => validate.errors.map((e) => `${e.instancePath} ${e.message}`).join('; ');

for (const file of fs.readdirSync(path.join(chart, 'examples')))
  if (!taken(read(`examples/${file}`))) faults.push(`examples/${file} is refused: ${inWords()}`);

// Every default is described: a name that only one of the two files has is a mistake in it.
(function compare(values, part, where) {
  const known = part.properties || (part.$ref && schema.definitions[part.$ref.split('/').pop()].properties);
  for (const name of Object.keys(known || {}))
    if (!(name in values) && !['global', 'resources', 'podLabels'].includes(name))
      faults.push(`${where}${name} is in the schema, and values.yaml does not show it`);
  for (const [name, value] of Object.entries(values))
    if (isObject(value) && known?.[name]) compare(value, known[name], `${where}${name}.`);
})(defaults, schema, '');

// name, what is given besides an issuer, what the complaint must be about
const refused = [
  ['no issuer', { oidc: { issuer: '' } }, '/oidc/issuer'],
  ['an issuer without TLS', { oidc: { issuer: 'http://idp.example.org' } }, '/oidc/issuer'],
  ['a name that does not exist', { replicaCount: 3 }, ''],
  ['a misspelt member', { service: { prot: 8080 } }, '/service'],
  ['a name to listen on', { service: { listenHost: 'eilbote' } }, '/service/listenHost'],
  ['a port of root', { service: { port: 80 } }, '/service/port'],
  ['a port as text', { service: { port: '8925' } }, '/service/port'],
  ['a password in the database URL', { database: { url: 'postgresql://u:secret@db/x' } }, '/database/url'],
  ['a password in the query of the database URL', { database: { url: 'postgresql://u@db/x?password=secret' } }, '/database/url'],
  ['a key\'s password in the database URL', { database: { url: 'postgresql://u@db/x?a=b&sslpassword=s' } }, '/database/url'],
  ['a password in the migration\'s URL', { migration: { databaseUrl: 'postgresql://u@db/x?password=s' } }, '/migration/databaseUrl'],
  ['a database of another kind', { database: { url: 'mysql://u@db/x' } }, '/database/url'],
  ['a secret instead of a reference', { database: { passwordRef: 'hunter2' } }, '/database/passwordRef'],
  ['a data key instead of a reference', { dataKeyRef: 'AAAA' }, '/dataKeyRef'],
  ['a password in an option', { config: { EILBOTE_SMTP_URL: 'smtp://u:secret@relay' } }, '/config/EILBOTE_SMTP_URL'],
  ['a password in the query of an option', { config: { EILBOTE_X: 'smtp://u@relay?tls=off&password=s' } }, '/config/EILBOTE_X'],
  ['an option as a boolean', { config: { EILBOTE_TRANSPORT_RETRIES_APART: true } }, '/config/EILBOTE_TRANSPORT_RETRIES_APART'],
  ['an option the chart sets', { config: { EILBOTE_LISTEN: '0.0.0.0:1' } }, '/config'],
  ['an option by its flag', { config: { 'smtp-url': 'x' } }, '/config'],
  ['an option with a list', { config: { EILBOTE_GRAPH_SENDERS: ['a'] } }, '/config/EILBOTE_GRAPH_SENDERS'],
  ['a secret under an option\'s name', { secrets: { env: [{ name: 'EILBOTE_X', secret: 's', key: 'k' }] } }, '/secrets/env/0/name'],
  ['a secret without a key', { secrets: { env: [{ name: 'X', secret: 's' }] } }, '/secrets/env/0'],
  ['Vault without TLS', { vault: { address: 'http://vault:8200' } }, '/vault/address'],
  ['no replicas', { roles: { all: { replicas: 0 } } }, '/roles/all/replicas'],
  ['a role that does not exist', { roles: { dispatcher: { enabled: true, replicas: 1 } } }, '/roles'],
  ['a digest cut short', { image: { digest: 'sha256:abc' } }, '/image/digest'],
  ['a grace beyond the program\'s', { shutdownGraceSeconds: 601 }, '/shutdownGraceSeconds'],
  ['a client without a place', { networkPolicy: { clients: [{ name: 'x' }] } }, '/networkPolicy/clients/0'],
  ['a way out to everybody', { networkPolicy: { egress: { to: [{ name: 'x', cidrs: [], ports: [1] }] } } }, '/networkPolicy/egress/to/0'],
  ['a way out on every port', { networkPolicy: { egress: { to: [{ name: 'x', cidrs: ['192.0.2.1/32'], ports: [] }] } } },
    '/networkPolicy/egress/to/0/ports'],
  ['an address without a length', { networkPolicy: { egress: { to: [{ name: 'x', cidrs: ['192.0.2.1'], ports: [1] }] } } },
    '/networkPolicy/egress/to/0/cidrs/0'],
  ['another path from outside', { ingress: { enabled: true, path: '/' } }, '/ingress'],
  ['monitoring as a boolean', { monitoring: { serviceMonitor: true } }, '/monitoring/serviceMonitor'],
  ['a runbook\'s place that is no folder', { monitoring: { runbookBase: 'https://example.org/docs' } }, '/monitoring/runbookBase'],
  ['a second line in a remark', { networkPolicy: { clients: [{ name: 'x\n- from: []', namespace: 'x' }] } }, '/networkPolicy/clients/0/name'],
];
for (const [name, given, where] of refused) {
  const whole = { oidc: { issuer: 'https://idp.example.org' }, ...given };
  if (taken(whole)) faults.push(`${name}: is taken, and must be refused`);
  else if (!validate.errors.some((e) => e.instancePath === where)) faults.push(`${name}: not about '${where}' but ${inWords()}`);
}

for (const fault of faults) console.log(fault);
console.log(`${refused.length} refused values, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
