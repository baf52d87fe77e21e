// What Ajv, a validator that shares no code with Eilbote, says about schemas and values. Reads lines
// {"schema","cases":[{"value","fits"}]} from the file it is given and prints where Ajv thinks otherwise, then how many it
// judged.
//
// node json_schema_oracle.js CASES.jsonl; exit code 1 when something differs.
'use strict';
const fs = require('node:fs');
const Ajv = require('ajv');

// Formats are notes; a binary multiple of a decimal fraction is one, as for Eilbote.
const ajv = new Ajv({ strict: false, validateFormats: false, multipleOfPrecision: 9, logger: false });
let judged = 0;
let different = 0;
for (const line of fs.readFileSync(process.argv[2], 'utf8').split('\n')) {
  if (!line) continue;
  const { schema, cases } = JSON.parse(line);
  const validate = ajv.compile(schema);
  for (const { value, fits } of cases) {
    judged++;
    if (validate(value) === fits) continue;
    different++;
    if (different <= 10) console.log(`Ajv says ${!fits} to ${JSON.stringify(value)}: ${JSON.stringify(schema)}`);
  }
}
console.log(`${judged} judged, ${different} differ`);
process.exit(different === 0 ? 0 : 1);
