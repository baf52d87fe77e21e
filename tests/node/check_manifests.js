// Rendered manifests against Kubernetes' own schemas, which refuse unknown fields: node check_manifests.js SCHEMAS FILE...
// SCHEMAS is the folder `k8s` of the contracts. Prints what does not fit; exit code 1 when something does not.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const YAML = require('yaml');
const Ajv2020 = require('ajv/dist/2020');
const addFormats = require('ajv-formats');

const [, , folder, ...files] = process.argv;
const read = (name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));
// Formats like int32 are Kubernetes' own; the Prometheus operator's patterns may use (?i), which JavaScript does not know.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
addFormats(ajv);
const bundle = read(fs.readdirSync(folder).find((name) => /^kubernetes-.*\.bundle\.schema\.json$/.test(name)));
ajv.addSchema({ ...bundle, $id: 'k8s' });
const defined = (name) => ({ $ref: `k8s#/$defs/${name}` });

const withoutFlags = (schema) =>
  JSON.parse(JSON.stringify(schema), (key, value) => (key === 'pattern' ? value.replace('(?i)', '') : value));

const schemas = new Map();
for (const [kind, name] of Object.entries(bundle['x-kinds'])) schemas.set(kind, defined(name));
schemas.set('ServiceMonitor', withoutFlags(read('servicemonitor-v1.schema.json')));
schemas.set('PrometheusRule', withoutFlags(read('prometheusrule-v1.schema.json')));
// Claims are in the bundle only as a part of pods.
schemas.set('PersistentVolumeClaim', {
  type: 'object',
  additionalProperties: false,
  required: ['apiVersion', 'kind', 'metadata', 'spec'],
  properties: {
    apiVersion: { const: 'v1' },
    kind: { const: 'PersistentVolumeClaim' },
    metadata: defined('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'),
    spec: defined('io.k8s.api.core.v1.PersistentVolumeClaimSpec'),
  },
});

const validators = new Map();
function faultsOf(object) {
  const schema = schemas.get(object?.kind);
  if (!schema) return [`there is no schema for '${object?.kind}'`];
  if (!validators.has(object.kind)) validators.set(object.kind, ajv.compile(schema));
  const validate = validators.get(object.kind);
  return validate(object) ? [] : validate.errors.map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
}

let faults = 0, objects = 0;
const example = {};
for (const file of files) {
  for (const document of YAML.parseAllDocuments(fs.readFileSync(file, 'utf8'))) {
    const object = document.toJS();
    if (object === null) continue;
    objects += 1;
    example[object.kind] ??= object;
    for (const fault of [...document.errors, ...faultsOf(object)]) {
      faults += 1;
      console.log(`${file}: ${object.kind} ${object.metadata?.name}: ${fault}`);
    }
  }
}

// The check itself: with one field more, each kind must be refused.
for (const [kind, object] of Object.entries(example)) {
  const spoilt = kind === 'ServiceAccount' ? { ...object, automountToken: true }
    : kind === 'ConfigMap' ? { ...object, dta: {} } : { ...object, spec: { ...object.spec, noSuchField: 1 } };
  if (faultsOf(spoilt).length > 0) continue;
  faults += 1;
  console.log(`${kind}: a field that does not exist is not refused`);
}
console.log(`${objects} objects of ${Object.keys(example).length} kinds, ${faults} faults`);
process.exit(faults || !objects ? 1 : 0);
