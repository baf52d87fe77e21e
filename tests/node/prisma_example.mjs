// Runs examples/prisma against a migrated database, with `pg` in the place of Prisma's engine: a tagged template becomes the
// same text with $1, $2.., which is what Prisma sends. Called by the scenario a_prisma_client_shares_the_outbox.
//
// node prisma_example.mjs DATABASE_URL schema     schema.prisma against the database's columns
// node prisma_example.mjs DATABASE_URL work       two workers until nothing is due; recipients with "refuse" fail.
//                                                 Prints {"sent":N,"failed":N}
// node prisma_example.mjs DATABASE_URL late       a claim that is given away meanwhile. Prints {"settled":BOOL}
import assert from 'node:assert/strict';
import fs from 'node:fs';
import pg from 'pg';
import { backoffSeconds, claim, settleSent, work } from '../../examples/prisma/outbox.mjs';

pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);  // as Prisma gives them

const [, , url, verb] = process.argv;
const textOf = (strings) => strings.reduce((text, part, i) => `${text}$${i}${part}`);

// The part of PrismaClient that the example uses.
class PrismaOverPg {
  constructor(query) { this.query = query; }
  async $queryRaw(strings, ...values) { return (await this.query(textOf(strings), values)).rows; }
  async $executeRaw(strings, ...values) { return (await this.query(textOf(strings), values)).rowCount; }
}

function connect() {
  const pool = new pg.Pool({ connectionString: url });
  const prisma = new PrismaOverPg((text, values) => pool.query(text, values));
  prisma.$transaction = async (run, { isolationLevel }) => {
    assert.equal(isolationLevel, 'ReadCommitted');
    const client = await pool.connect();
    try {
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      const result = await run(new PrismaOverPg((text, values) => client.query(text, values)));
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  };
  prisma.$disconnect = () => pool.end();
  return prisma;
}

const TYPES = {
  BigInt: ['bigint'], Int: ['integer'], String: ['text'], Json: ['json', 'jsonb'], Bytes: ['bytea'],
  DateTime: ['timestamp with time zone'],
};

// Every field of schema.prisma is a column of its view or table, of its type.
async function checkSchema(prisma) {
  const text = fs.readFileSync(new URL('../../examples/prisma/schema.prisma', import.meta.url), 'utf8');
  const columns = await prisma.$queryRaw`
    SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'`;
  const typeOf = new Map(columns.map((one) => [`${one.table_name}.${one.column_name}`, one.data_type]));
  let fields = 0;
  for (const [, body, table] of text.matchAll(/^(?:view|model) \w+ \{\n([^}]*?)\n\n {2}@@map\("(\w+)"\)\n\}/gm)) {
    for (const [, name, type] of body.matchAll(/^ {2}(\w+)\s+(\w+)/gm)) {
      assert.ok(TYPES[type]?.includes(typeOf.get(`${table}.${name}`)),
        `${table}.${name} is ${typeOf.get(`${table}.${name}`)} in the database, ${type} in schema.prisma`);
      ++fields;
    }
  }
  assert.ok(fields > 30, `only ${fields} fields were found in schema.prisma`);
  return { fields };
}

async function workUntilDone() {
  const outcome = { sent: 0, failed: 0 };
  const send = async ({ sender, recipients, mime }) => {
    assert.match(sender, /@/);
    assert.match(mime.toString('latin1'), /^(.|\r|\n)*Message-ID: </i);
    if (JSON.stringify(recipients).includes('refuse')) { ++outcome.failed; throw new Error('451 later'); }
    ++outcome.sent;
  };
  const workers = [connect(), connect()];
  await Promise.all(workers.map(async (prisma) => {
    while (await work(prisma, send, 3) > 0);
    await prisma.$disconnect();
  }));
  return outcome;
}

async function settleLate(prisma) {
  const [mail] = await claim(prisma, 1);
  await prisma.$executeRaw`UPDATE mail_outbox SET last_attempt_at = last_attempt_at + interval '1 microsecond'
    WHERE id = ${mail.id}`;  // as if it had been taken back and claimed by another worker
  return { settled: await settleSent(prisma, mail) };
}

assert.deepEqual([1, 2, 3, 4, 9].map((n) => backoffSeconds(n, () => 0.5)), [60, 120, 240, 480, 3600]);
const prisma = connect();
const run = { schema: checkSchema, work: workUntilDone, late: settleLate }[verb];
console.log(JSON.stringify(await run(prisma)));
await prisma.$disconnect();
