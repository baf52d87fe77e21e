"""The life of a job in SQL alone: claim and settle, with attempt and event, of 200 jobs in one transaction, by the statements of Eilbote's own
files on the tables it made and filled, from pgbench. What is left out is everything else: no program, no HTTP, no reading of contents."""
import time
from pathlib import Path

from parts import Trouble, run

QUERIES = Path(__file__).resolve().parent.parent / "sql/postgres/queries"
BATCH = 200
SESSIONS = 2  # with one, half of two cores has nothing to do
# As the program asks for in each of its sessions.
SETTINGS = {"enable_seqscan": "off", "jit": "off"}

# Parameters of a function are $1 and so on, as in the files. What is written on record is what a delivered job has there (`sample`).
FUNCTIONS = """
CREATE FUNCTION bench_claim(int[], int[], timestamptz[], bigint, OUT ids bigint[], OUT last timestamptz) LANGUAGE plpgsql AS $f$
DECLARE claimed record;
BEGIN
  FOR claimed IN {claim} LOOP
    ids := ids || claimed.id;
    last := greatest(last, claimed.next_attempt_at);
  END LOOP;
END $f$;
CREATE FUNCTION bench_settle(bigint[], bigint[], text[], int[], int[], int[], boolean[], bigint[], text[], text[], boolean[],
  int[], timestamptz[], timestamptz[], bigint[], text[], text[], text[], text[], int[], text[], int[], text[], text[], boolean[], text[],
  text[], text[], text[], text[], text[], text, text, text, text)
RETURNS void LANGUAGE plpgsql AS $f$
DECLARE settled record;
BEGIN
  FOR settled IN {settle} LOOP END LOOP;
END $f$;

-- A round: so many jobs of a lane from their first attempt to the end. Returns where the next scan may start, in microseconds.
CREATE FUNCTION bench_round(lane int, low bigint, sample bigint) RETURNS bigint LANGUAGE plpgsql AS $f$
DECLARE
  token bigint := (1::bigint << 32) + txid_current();
  c record; a attempts%ROWTYPE; n int;
BEGIN
  SELECT * INTO c FROM bench_claim(ARRAY[lane], ARRAY[{batch}], ARRAY[to_timestamp(low / 1e6)], token);
  n := coalesce(array_length(c.ids, 1), 0);
  IF n = 0 THEN RETURN low; END IF;
  SELECT * INTO a FROM attempts WHERE job_id = sample LIMIT 1;
  PERFORM bench_settle(c.ids, array_fill(token, ARRAY[n]), array_fill('sent'::text, ARRAY[n]), array_fill(0, ARRAY[n]),
    array_fill(1, ARRAY[n]), array_fill(0, ARRAY[n]), array_fill(false, ARRAY[n]), array_fill(NULL::bigint, ARRAY[n]),
    array_fill(NULL::text, ARRAY[n]), array_fill(NULL::text, ARRAY[n]), array_fill(true, ARRAY[n]),
    array_fill(a.number, ARRAY[n]), array_fill(now(), ARRAY[n]), array_fill(now(), ARRAY[n]), array_fill(a.duration_ms, ARRAY[n]),
    array_fill(a.status, ARRAY[n]), array_fill(a.route, ARRAY[n]), array_fill(a.code, ARRAY[n]), array_fill(a.verdict, ARRAY[n]),
    array_fill(a.smtp_code, ARRAY[n]), array_fill(a.enhanced_code, ARRAY[n]), array_fill(a.response_code, ARRAY[n]),
    array_fill(a.error_message, ARRAY[n]), array_fill(a.error_type, ARRAY[n]), array_fill(a.deferral, ARRAY[n]),
    array_fill(a.provider_message_id, ARRAY[n]), array_fill(a.response_body, ARRAY[n]), array_fill(a.diagnostic, ARRAY[n]),
    array_fill(a.from_state, ARRAY[n]), array_fill(a.to_state, ARRAY[n]), array_fill(a.change_reason, ARRAY[n]), '', '', '', '');
  RETURN floor(extract(epoch FROM c.last) * 1e6)::bigint - 150000;
END $f$;
"""


def prepare(postgres, database):
    """The functions, in the queue's database. Returns the lane that waits, and a job that is done."""
    files = {"claim": "claim_due", "settle": "settle"}
    statements = {name: (QUERIES / f"{file}.sql").read_text() for name, file in files.items()}
    settings = "".join(f"ALTER DATABASE {database} SET {name} = {value};" for name, value in SETTINGS.items())
    postgres.sql(database, FUNCTIONS.format(batch=BATCH, **statements) + settings)
    return postgres.sql(database, "SELECT DISTINCT lane_id, (SELECT max(job_id) FROM attempts) FROM outbox WHERE status = 'queued';")[0]


def drain(postgres, database, lane, sample, folder, jobs):
    """Seconds for as many rounds as the jobs make."""
    script = folder / f"{database}.pgbench"
    script.write_text(f"SELECT bench_round({lane}, :low, {sample}) AS low \\gset\n")
    rounds = -(-jobs // (BATCH * SESSIONS))
    began = time.monotonic()
    run([postgres.bin / "pgbench", "-n", "-M", "prepared", "-c", str(SESSIONS), "-j", "1", "-t", str(rounds), "-D", "low=0", "-f",
         script, "-h", postgres.socket, "-p", str(postgres.PORT), "-U", "postgres", database])
    return time.monotonic() - began


def must_be_drained(postgres, database, jobs):
    left, = postgres.sql(database, "SELECT count(*) FROM outbox WHERE status = 'queued';")[0]
    if int(left):
        raise Trouble(f"the SQL-only cycle left {left} of {jobs} jobs")
