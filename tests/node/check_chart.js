// What the chart must make of values: node check_chart.js RENDER CHART PROGRAM. Everything is rendered (render.go), and read
// the way Kubernetes reads it: who may call whom, what pods may do, how they stop. The program itself judges the options
// its pods get. Prints what is wrong; exit code 1 when something is.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const YAML = require('yaml');

const [, , renderer, chart, program] = process.argv;
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'eilbote-chart-'));
process.on('exit', () => fs.rmSync(scratch, { recursive: true }));
let where = '', checks = 0, faults = 0;
function check(holds, what) {
  checks += 1;
  if (holds) return;
  faults += 1;
  console.log(`${where}: ${what}`);
}
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// Values as an object or the name of an example; further arguments of render.go.
function run(values, ...more) {
  const file = typeof values === 'string' ? path.join(chart, 'examples', `${values}.yaml`) : path.join(scratch, 'values.yaml');
  if (typeof values !== 'string') fs.writeFileSync(file, JSON.stringify(values));  // which is YAML, and quotes "on"
  return spawnSync(renderer, ['-chart', chart, '-values', file, '-namespace', 'here', ...more], { encoding: 'utf8' });
}
function rendered(values, ...more) {
  const { status, stdout, stderr } = run(values, ...more);
  if (status !== 0) throw new Error(stderr);
  return YAML.parseAllDocuments(stdout).map((document) => document.toJS()).filter(Boolean);
}
const ofKind = (all, kind) => all.filter((object) => object.kind === kind);
const podsOf = (all) => all.filter((o) => o.spec?.template).map((o) => ({ owner: o, ...o.spec.template }));
const selects = (selector, labels) => Object.entries(selector || {}).every(([name, value]) => labels[name] === value);

// ---- what holds for every set of values --------------------------------------------------------------------------

function checkRights(pod) {
  const { spec } = pod, [container] = spec.containers, name = pod.owner.metadata.name;
  check(spec.securityContext.runAsNonRoot && spec.securityContext.runAsUser > 0, `${name} may run as root`);
  check(spec.securityContext.seccompProfile.type === 'RuntimeDefault', `${name} has no seccomp profile`);
  check(spec.automountServiceAccountToken === false, `${name} gets a token for Kubernetes`);
  const rights = container.securityContext;
  check(rights.readOnlyRootFilesystem && rights.allowPrivilegeEscalation === false && same(rights.capabilities, { drop: ['ALL'] }),
    `${name} may do more than it has to`);
  check(container.resources.requests && container.resources.limits.memory, `${name} has no bounds`);
  const volumes = spec.volumes?.map((volume) => volume.name) ?? [];
  check(same((container.volumeMounts ?? []).map((mount) => mount.name).sort(), volumes.sort()), `${name} mounts other volumes than it has`);
}

// The program reads the options as in the pod; `config` starts nothing.
function checkOptions(pod, all) {
  const env = { PATH: process.env.PATH };
  for (const { name, value } of pod.spec.containers[0].env) env[name] = value ?? 'from a secret';
  if (env.EILBOTE_CONFIG) {
    env.EILBOTE_CONFIG = path.join(scratch, 'eilbote.toml');
    fs.writeFileSync(env.EILBOTE_CONFIG, ofKind(all, 'ConfigMap')[0].data['eilbote.toml']);
  }
  const { status, stderr } = spawnSync(program, ['config'], { env, encoding: 'utf8' });
  check(status === 0, `the program refuses the options of ${pod.owner.metadata.name}: ${stderr}`);
}

function checkServer(pod) {
  const [container] = pod.spec.containers, { name } = pod.owner.metadata;
  const ports = container.ports.map((port) => port.name);
  const option = Object.fromEntries(container.env.map((e) => [e.name, e.value]));
  check(container.startupProbe.httpGet.path === '/health/live' && container.livenessProbe.httpGet.path === '/health/live' &&
    container.readinessProbe.httpGet.path === '/health/ready', `${name} is probed elsewhere`);
  check(ports.includes(container.readinessProbe.httpGet.port), `${name} is probed on a port it does not have`);
  check(option.EILBOTE_LISTEN.endsWith(`:${container.ports[0].containerPort}`) &&
    option.EILBOTE_METRICS_LISTEN.endsWith(`:${container.ports[1].containerPort}`), `${name} listens elsewhere`);
  for (const [key, value] of Object.entries(option).filter(([k]) => k.endsWith('_CA_FILE')))
    check(container.volumeMounts.some((mount) => value.startsWith(`${mount.mountPath}/`)), `${name}: nothing is mounted for ${key}`);
  const grace = parseInt(option.EILBOTE_SHUTDOWN_GRACE, 10) + container.lifecycle.preStop.sleep.seconds;
  check(pod.spec.terminationGracePeriodSeconds >= grace + 5, `${name} is killed before its grace of ${grace} s is over`);
}

function checkReferences(all, pods) {
  const servers = pods.filter((pod) => pod.owner.kind === 'Deployment');
  for (const service of ofKind(all, 'Service')) {
    const found = pods.filter((pod) => selects(service.spec.selector, pod.metadata.labels));
    check(found.length > 0 && found.every((pod) => pod.owner.kind === 'Deployment'), `${service.metadata.name} finds the wrong pods`);
    check(service.spec.type === 'ClusterIP', `${service.metadata.name} is open to the outside`);
    for (const port of service.spec.ports)
      check(found.every((pod) => pod.spec.containers[0].ports.some((p) => p.name === port.targetPort)), `no port ${port.targetPort}`);
  }
  for (const pod of servers) {
    check(selects(pod.owner.spec.selector.matchLabels, pod.metadata.labels), `${pod.owner.metadata.name} does not find its pods`);
    const scaler = ofKind(all, 'HorizontalPodAutoscaler').find((h) => h.spec.scaleTargetRef.name === pod.owner.metadata.name);
    check((pod.owner.spec.replicas === undefined) === (scaler !== undefined), `${pod.owner.metadata.name}: who says how many there are?`);
  }
  const accounts = ofKind(all, 'ServiceAccount').map((account) => account.metadata.name);
  for (const { spec, owner } of pods)
    check(!spec.serviceAccountName || accounts.includes(spec.serviceAccountName), `${owner.metadata.name} has an account that is not there`);
}

// Who may reach a port of the pods with these labels: "namespace/label=value,.." or "*" for everybody.
function callers(all, labels, port) {
  const found = [];
  const inside = ofKind(all, 'NetworkPolicy').filter((p) => selects(p.spec.podSelector.matchLabels, labels));
  if (!inside.some((policy) => policy.spec.policyTypes.includes('Ingress'))) return ['*'];
  for (const rule of inside.flatMap((policy) => policy.spec.ingress ?? [])) {
    if (rule.ports && !rule.ports.some((p) => p.port === port)) continue;
    if (!rule.from?.length) found.push('*');
    for (const { namespaceSelector, podSelector, ipBlock } of rule.from ?? []) {
      const namespace = namespaceSelector ? namespaceSelector.matchLabels?.['kubernetes.io/metadata.name'] ?? '*' : 'here';
      const pods = Object.entries(podSelector?.matchLabels ?? {}).map(([name, value]) => `${name}=${value}`);
      found.push(ipBlock ? ipBlock.cidr : `${namespace}/${pods.join(',')}`);
    }
  }
  return found.sort();
}

const examples = fs.readdirSync(path.join(chart, 'examples')).map((file) => path.basename(file, '.yaml'));
for (const example of examples) {
  where = example;
  const all = rendered(example, '-tests'), pods = podsOf(all);
  for (const pod of pods) checkRights(pod);
  for (const pod of pods.filter((p) => p.owner.kind === 'Deployment')) {
    checkServer(pod);
    checkOptions(pod, all);
    check(same(callers(all, pod.metadata.labels, 'metrics'),
      ['here/app.kubernetes.io/name=eilbote-test,app.kubernetes.io/instance=eilbote', 'monitoring/app.kubernetes.io/name=prometheus']),
    `the metrics port of ${pod.owner.metadata.name} is open to others than Prometheus`);
  }
  const migrations = pods.filter((pod) => same(pod.spec.containers[0].args, ['migrate']));
  check(migrations.length === (example === 'sqlite' ? 0 : 1), `${migrations.length} migrations`);
  for (const pod of migrations) checkOptions(pod, all);
  checkReferences(all, pods);
  for (const rule of ofKind(all, 'NetworkPolicy').flatMap((policy) => policy.spec.egress ?? []))
    check(rule.to?.length > 0 && rule.ports?.length > 0, 'a way out leads everywhere');
}

// ---- one set, and what it is for ---------------------------------------------------------------------------------

where = 'surveyweb';
let all = rendered('surveyweb');
const [server] = podsOf(all).filter((pod) => pod.owner.kind === 'Deployment');
check(same(callers(all, server.metadata.labels, 'http'), ['airflow/component=worker', 'ciret/app.kubernetes.io/name=ciret',
  'fomo/app.kubernetes.io/name=fomo', 'here/app.kubernetes.io/name=surveyweb', 'ingress-nginx/app.kubernetes.io/name=ingress-nginx']),
`the API is open to ${callers(all, server.metadata.labels, 'http')}`);
const paths = ofKind(all, 'Ingress').flatMap((i) => i.spec.rules).flatMap((rule) => rule.http.paths);
check(same(paths.map(({ path: p, pathType }) => [p, pathType]), [['/webhooks/graph', 'Exact']]), 'more than Graph\'s path is open to the outside');
check(server.spec.volumes.some((v) => v.projected?.sources[0].serviceAccountToken.audience === 'vault'), 'there is no token for Vault');
check(server.spec.containers[0].env.every((e) => e.valueFrom === undefined), 'a secret is not from Vault');
check(server.spec.containers[0].env.some((e) => e.name === 'EILBOTE_VAULT_CA_FILE'), 'nobody vouches for a Vault inside the cluster');

where = 'roles';
all = rendered('roles');
const byRole = Object.fromEntries(podsOf(all).map((pod) => [pod.metadata.labels['app.kubernetes.io/component'], pod]));
check(same(callers(all, byRole.worker.metadata.labels, 'http'), ['airflow/component=worker']), 'others than Airflow reach the workers');
check(same(callers(all, byRole.scheduler.metadata.labels, 'http'), []), 'somebody reaches the schedulers');

where = 'sqlite';
all = rendered('sqlite');
const [single] = ofKind(all, 'Deployment');
check(single.spec.replicas === 1 && single.spec.strategy.type === 'Recreate', 'two pods may share a file');
check(ofKind(all, 'PersistentVolumeClaim').length === 1, 'there is no volume');
check(!['HorizontalPodAutoscaler', 'PodDisruptionBudget', 'Job'].some((kind) => ofKind(all, kind).length), 'there is what one pod cannot have');

where = 'few values';
const few = { oidc: { issuer: 'https://idp.example.org' } };
all = rendered(few);
check(same(callers(all, podsOf(all)[0].metadata.labels, 'http'), []), 'without clients somebody may call');
check(ofKind(all, 'ServiceMonitor').length === 0, 'a ServiceMonitor for a cluster that does not know it');
all = rendered(few, '-api', 'monitoring.coreos.com/v1');
check(ofKind(all, 'ServiceMonitor').length === 1 && ofKind(all, 'PrometheusRule')[0]?.spec.groups.length > 0, 'no monitoring where it is known');

const url = (rule) => rule.annotations.runbook_url;
const urlsWith = (monitoring) => ofKind(rendered({ ...few, monitoring: { prometheusRule: 'on', ...monitoring } }), 'PrometheusRule')[0]
  .spec.groups.flatMap((group) => group.rules).map(url);
check(urlsWith({}).every((u) => u.startsWith('docs/runbook.md#')), 'without runbookBase the runbook is elsewhere');
check(urlsWith({ runbookBase: 'https://example.org/b/' }).every((u) => u.startsWith('https://example.org/b/docs/runbook.md#eilbote')),
  'an alert does not lead to the runbook below runbookBase');

const optionOf = (pod, name) => pod.spec.containers[0].env.find((e) => e.name === name)?.value;

where = 'numbers';
const config = { EILBOTE_HTTP_BODY_BYTES_MAX: 30000000, EILBOTE_RETENTION_DAYS: 14, EILBOTE_TRACE_SAMPLE: 0.25, EILBOTE_LOG: 'json' };
all = rendered({ ...few, config });
let [pod] = podsOf(all);
for (const [name, value] of Object.entries(config)) check(optionOf(pod, name) === String(value), `${name} is ${optionOf(pod, name)}, not ${value}`);
checkOptions(pod, all);

where = 'IPv6';
all = rendered({ ...few, service: { listenHost: '[::]' } });
[pod] = podsOf(all);
check(optionOf(pod, 'EILBOTE_LISTEN') === '[::]:8925' && optionOf(pod, 'EILBOTE_METRICS_LISTEN') === '[::]:9925', 'does not listen on [::]');
checkOptions(pod, all);

// A budget where at least two pods are sure to be there: one that protects the only pod stops every drain of a node.
const postgres = { database: { url: 'postgresql://u@db/x' } };
const budgets = [
  ['two pods', { roles: { all: { replicas: 2 } } }, 1],
  ['one pod', { roles: { all: { replicas: 1 } } }, 0],
  ['at least two pods', { autoscaling: { enabled: true, minReplicas: 2 }, roles: { all: { replicas: 1 } } }, 1],
  ['at least one pod', { autoscaling: { enabled: true, minReplicas: 1 } }, 0],
];
for (const [name, values, wanted] of budgets) {
  where = name;
  const found = ofKind(rendered({ ...few, ...postgres, dataKeyRef: 'env://K', ...values }), 'PodDisruptionBudget').length;
  check(found === wanted, `${found} budgets, not ${wanted}`);
}

where = 'a migration by the direct way';
const [direct, pooled] = ['postgresql://u@db/x', 'postgresql://u@pgbouncer/x'];
all = rendered({ ...few, database: { url: pooled }, dataKeyRef: 'env://K', migration: { databaseUrl: direct } });
check(same(podsOf(all).map((one) => [one.owner.kind, optionOf(one, 'EILBOTE_STORE_URL')]).sort(), [['Deployment', pooled], ['Job', direct]]),
  'the migration goes through PgBouncer, or the pods do not');

// name, values besides the few, what the chart must say
const refused = [
  ['no issuer', { oidc: null }, 'oidc.issuer'],
  ['PostgreSQL without a data key', postgres, 'dataKeyRef'],
  ['SQLite for several roles', { roles: { worker: { enabled: true } } }, 'SQLite is for one pod'],
  ['SQLite with autoscaling', { autoscaling: { enabled: true } }, 'SQLite is for one pod'],
  ['api beside all', { ...postgres, dataKeyRef: 'env://K', roles: { api: { enabled: true } } }, 'exactly one of all and api'],
  ['api without worker', { ...postgres, dataKeyRef: 'env://K', roles: { all: { enabled: false }, api: { enabled: true } } }, 'api without worker'],
  ['a broker without a scheduler', { ...postgres, dataKeyRef: 'env://K', config: { EILBOTE_TRANSPORT_URL: 'amqp://u@mq/v' },
    roles: { all: { enabled: false }, api: { enabled: true }, worker: { enabled: true } } }, 'a scheduler is needed'],
  ['a scheduler without a broker', { ...postgres, dataKeyRef: 'env://K',
    roles: { all: { enabled: false }, api: { enabled: true }, worker: { enabled: true }, scheduler: { enabled: true } } }, 'and only there'],
  ['fewer at most than at least', { ...postgres, dataKeyRef: 'env://K', autoscaling: { enabled: true, minReplicas: 9 } }, 'minReplicas'],
  ['one port for both', { service: { metricsPort: 8925 } }, 'must differ'],
  ['Vault without an address', { vault: { role: 'r' } }, 'vault.address'],
  ['an ingress without a host', { ingress: { enabled: true } }, 'ingress.host'],
];
for (const [name, values, words] of refused) {
  where = name;
  const { status, stderr } = run({ ...few, ...values });
  check(status === 1 && stderr.includes(words), status === 0 ? 'is rendered, and must be refused' : `it says: ${stderr}`);
}

console.log(`${checks} checks, ${faults} faults`);
process.exit(faults ? 1 : 0);
