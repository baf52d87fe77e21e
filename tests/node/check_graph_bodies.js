// Whether JSON that was sent to Microsoft Graph fits the definitions of a schema, by Ajv: for what Microsoft's OpenAPI does not
// have ($batch) or says loosely. Reads lines {"definition","body"} and prints what does not fit, then how many it judged.
//
// node check_graph_bodies.js graph-mail.schema.json BODIES.jsonl; exit code 1 when something does not fit.
'use strict';
const fs = require('node:fs');
const Ajv = require('ajv/dist/2020');

const ajv = new Ajv({strict: false, validateFormats: false, logger: false, allErrors: true});
const schema = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
ajv.addSchema(schema, 'graph');
let judged = 0;
let wrong = 0;
for (const line of fs.readFileSync(process.argv[3], 'utf8').split('\n')) {
  if (!line) continue;
  const {definition, body} = JSON.parse(line);
  const validate = ajv.getSchema(`${schema.$id || 'graph'}#/$defs/${definition}`);
  judged++;
  if (validate(JSON.parse(body))) continue;
  wrong++;
  if (wrong <= 10) console.log(`${definition}: ${ajv.errorsText(validate.errors)}: ${body.slice(0, 2000)}`);
}
console.log(`${judged} judged, ${wrong} do not fit`);
process.exit(wrong === 0 ? 0 : 1);
