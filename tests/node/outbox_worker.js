// A foreign worker as seed 000 describes it: claims rows of mail_outbox inside a transaction with the normative SQL
// (what Prisma's $queryRaw does), "sends" them by writing a line to a file, and settles them through the view.
//
// node outbox_worker.js DATABASE_URL RECORD_FILE NAME BATCH_SIZE. Prints "ready"; on SIGTERM finishes what it
// holds, prints how many mails it sent and ends.
'use strict';
const fs = require('node:fs');
const { Client } = require('pg');

const [, , url, recordFile, name, batchSize] = process.argv;
const MAX_ATTEMPTS = 5;

// The seed's text, with its named parameters in PostgreSQL's spelling.
const CLAIM = `
WITH candidates AS (
  SELECT id
  FROM mail_outbox
  WHERE status = 'queued'
    AND next_attempt_at <= NOW()
    AND retry_count < $1
  ORDER BY next_attempt_at ASC, id ASC
  LIMIT $2
  FOR UPDATE SKIP LOCKED
)
UPDATE mail_outbox
SET status = 'dispatching',
    last_attempt_at = NOW()
FROM candidates
WHERE mail_outbox.id = candidates.id
RETURNING mail_outbox.*;
`;

let stopping = false;
process.on('SIGTERM', () => { stopping = true; });

async function claim(client) {
  await client.query('BEGIN');
  const { rows } = await client.query(CLAIM, [MAX_ATTEMPTS, Number(batchSize)]);
  await client.query('COMMIT');
  return rows;
}

async function main() {
  const client = new Client({ connectionString: url });
  await client.connect();
  const record = fs.openSync(recordFile, 'a');
  let sent = 0;
  console.log('ready');
  while (!stopping) {
    const rows = await claim(client);
    for (const row of rows) {
      fs.writeSync(record, `${row.id} ${name}\n`);
      const settled = await client.query(
        "UPDATE mail_outbox SET status = 'sent', last_error = NULL WHERE id = $1 AND status = 'dispatching'", [row.id]);
      if (settled.rowCount !== 1) throw new Error(`row ${row.id} was taken from this worker`);
      ++sent;
    }
    // An idle worker gives way to the database and to its signals.
    if (rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await client.end();
  console.log(String(sent));
}

main().catch((error) => { console.error(error); process.exit(1); });
