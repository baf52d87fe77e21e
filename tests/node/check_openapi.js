// Checks recorded HTTP exchanges against an OpenAPI 3.1 contract: the path and method exist, the status is among the
// answers, the content type is, and request and response bodies fit their schemas.
//
// node check_openapi.js CONTRACT.yaml EXCHANGES.jsonl. Each line is {"method","path","requestBody"?,"requestType"?,
// "status","contentType","body"}; a request body is checked only when the answer is a success. Prints what does not fit;
// exit code 1 when something does not, or when an operation of the contract was never exercised.
'use strict';
const fs = require('node:fs');
const YAML = require('yaml');
const Ajv = require('ajv/dist/2020');
const addFormats = require('ajv-formats');

const [, , contractFile, exchangesFile] = process.argv;
const api = YAML.parse(fs.readFileSync(contractFile, 'utf8'));
const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ $id: 'https://contract.example/api', ...api });

const escapePointer = (text) => text.replace(/~/g, '~0').replace(/\//g, '~1');
const faults = [];
const seen = new Set();

// Follows a $ref inside the contract; returns the object and its pointer.
function resolve(object, pointer) {
  if (!object || !object.$ref) return [object, pointer];
  const target = object.$ref.slice(1);
  let value = api;
  for (const part of target.split('/').slice(1)) value = value?.[part.replace(/~1/g, '/').replace(/~0/g, '~')];
  return resolve(value, target);
}

function findPath(path) {
  const bare = path.split('?')[0];
  if (api.paths[bare]) return bare;
  const parts = bare.split('/');
  return Object.keys(api.paths).find((template) => {
    const want = template.split('/');
    return want.length === parts.length && want.every((w, i) => w.startsWith('{') || w === parts[i]);
  });
}

function checkBody(what, content, pointer, contentType, body) {
  const type = (contentType || '').split(';')[0].trim();
  if (!content) {
    if (body) faults.push(`${what}: a body where the contract has none`);
    return;
  }
  const media = content[type];
  if (!media) return void faults.push(`${what}: content type '${type}' is not in the contract`);
  if (!media.schema || !type.endsWith('json')) return;
  let value;
  try { value = JSON.parse(body); } catch { return void faults.push(`${what}: not JSON: ${body}`); }
  const ref = `https://contract.example/api#${pointer}/content/${escapePointer(type)}/schema`;
  const validate = ajv.getSchema(ref) || ajv.compile({ $ref: ref });
  if (!validate(value))
    faults.push(`${what}: ${ajv.errorsText(validate.errors, { separator: '; ' })}\n    ${body.slice(0, 600)}`);
}

for (const line of fs.readFileSync(exchangesFile, 'utf8').split('\n')) {
  if (!line) continue;
  const exchange = JSON.parse(line);
  const name = `${exchange.method} ${exchange.path} -> ${exchange.status}`;
  const template = findPath(exchange.path);
  if (!template) { faults.push(`${name}: no such path in the contract`); continue; }
  const method = exchange.method.toLowerCase();
  const operation = api.paths[template][method];
  if (!operation) { faults.push(`${name}: no such method in the contract`); continue; }
  seen.add(`${method} ${template}`);
  const base = `/paths/${escapePointer(template)}/${method}`;
  const key = operation.responses[exchange.status] ? String(exchange.status) : 'default';
  const [response, pointer] = resolve(operation.responses[key], `${base}/responses/${key}`);
  if (!response) { faults.push(`${name}: the contract does not have this status`); continue; }
  checkBody(name, response.content, pointer, exchange.contentType, exchange.body);
  if (exchange.requestBody && exchange.status < 300) {
    const [request, at] = resolve(operation.requestBody, `${base}/requestBody`);
    if (!request) faults.push(`${name}: the contract has no request body`);
    else checkBody(`${name} (request)`, request.content, at, exchange.requestType || 'application/json', exchange.requestBody);
  }
}
for (const [template, item] of Object.entries(api.paths))
  for (const method of ['get', 'post', 'put', 'patch', 'delete'])
    if (item[method] && !seen.has(`${method} ${template}`))
      faults.push(`${method.toUpperCase()} ${template}: in the contract, but never exercised`);

for (const fault of faults) console.log(fault);
process.exit(faults.length === 0 ? 0 : 1);
