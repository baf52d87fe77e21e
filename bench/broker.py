"""The figures of ./dev bench broker: what RabbitMQ costs, what a second instance on one PostgreSQL brings, and the plan of the
scheduler's query over many rows."""
import collections
import contextlib
import json
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from figures import Bench, figure
from hooks import WebhookServer
from nginx import Nginx
from parts import Trouble, say
from rabbit import Rabbit

POOL = "webhook"  # limited pools do not travel, so it is the one that is always there
BROKER_SHARE, TWO_OF_ONE, PLAN_MILLIS = 0.4, 1.0, 50
# Instances find each other by their heartbeats, every 3 seconds: so much of a drain passes before the clock runs.
RUN_UP = 0.4
QUERY = Path(__file__).resolve().parent.parent / "sql/postgres/queries/claim_publish.sql"


@dataclass(frozen=True)
class Scale:
    jobs: int   # of one drain
    rows: int   # in the outbox of the plan
    rounds: int
    quick: bool


SCALES = {"full": Scale(jobs=200_000, rows=10_000_000, rounds=3, quick=False),
          "quick": Scale(jobs=10_000, rows=1_000_000, rounds=3, quick=True),
          "smoke": Scale(jobs=1_000, rows=50_000, rounds=1, quick=True)}


class WaitEvents:
    """What PostgreSQL's sessions wait for, looked at every 20 ms by one more session."""

    def __init__(self, postgres, database):
        self.command = [postgres.bin / "psql", "-X", "-q", "-A", "-t", "-d", postgres.url(database)]
        self.query = ("SELECT coalesce(wait_event_type || ':' || wait_event, 'working') FROM pg_stat_activity WHERE"
                      f" datname = '{database}' AND state = 'active' AND pid <> pg_backend_pid() \\watch 0.02\n")

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.process.stdin.write(self.query)
        self.process.stdin.close()
        self.process.stdin = None  # communicate() would flush it
        return self

    def __exit__(self, *_):
        self.process.terminate()
        out, _ = self.process.communicate()
        seen = collections.Counter(line for line in out.splitlines() if ":" in line and " " not in line or line == "working")
        total = max(sum(seen.values()), 1)
        self.shares = {name: round(count / total, 3) for name, count in seen.most_common(8)}
        # Waits of transactions for each other; what a commit or a page costs is none of these.
        self.locks = round(sum(count for name, count in seen.items() if name.startswith("Lock:")) / total, 3)


class BrokerBench(Bench):
    LETTERS = "opq"
    SERVER = WebhookServer
    nginx_folder = rabbit_folder = None  # set by bench/run

    def run(self, letters):
        figures = []
        if "o" in letters or "p" in letters:
            with Nginx(self.nginx_folder, self.folder) as self.nginx:
                if "o" in letters:
                    with Rabbit(self.rabbit_folder, self.folder) as self.rabbit:
                        figures.append(self.by_broker())
                if "p" in letters:
                    figures.append(self.by_two())
        if "q" in letters:
            figures.append(self.plan())
        return figures

    # ---- o, p: drains ----

    def by_broker(self):
        say(f"o: {self.scale.jobs:,} jobs by RabbitMQ, beside the database's own way")
        rates = self.take_turns({"rabbitmq": lambda: [self.rabbit.fresh_url()], "database": lambda: ["database:"]})
        return self.compared("o", "jobs delivered/s by RabbitMQ ÷ by the database", "rabbitmq", "database", rates,
                             BROKER_SHARE)

    def by_two(self):
        say(f"p: {self.scale.jobs:,} jobs by two instances, beside one")
        rates = self.take_turns({"two": lambda: ["database:"] * 2, "one": lambda: ["database:"]})
        return self.compared("p", "jobs delivered/s by two instances on one PostgreSQL ÷ by one", "two", "one", rates,
                             TWO_OF_ONE)

    def take_turns(self, contestants):
        """Rounds by name; a contestant answers with the transports of its instances."""
        rounds, names = {name: [] for name in contestants}, list(contestants)
        for turn in range(self.rounds):
            for name in names[turn % len(names):] + names[:turn % len(names)]:
                one = self.drain(contestants[name]())
                say(f"  {name}: {one['jobsPerSecond']:,.0f} jobs/s; waits: {one['waits']}")
                rounds[name].append(one)
        return rounds

    def drain(self, transports):
        """The queue is filled by an instance that only takes jobs in; the clock runs when those that deliver have run up."""
        database, jobs = f"broker_{next(self.serial)}", self.scale.jobs
        self.postgres.create(database)
        folder = self.folder / database
        folder.mkdir()
        url = self.postgres.url(database)
        with self.SERVER(self.programs, url, folder / "front", EILBOTE_ROLE="api").migrate() as front:
            front.hand_in(jobs, self.nginx.url(), POOL)
        self.postgres.sql(database, "VACUUM (ANALYZE);")
        self.postgres.checkpoint()
        taken = self.nginx.taken()
        with contextlib.ExitStack() as stack:
            servers = [stack.enter_context(self.SERVER(self.programs, url, folder / f"instance{n}",
                                                       EILBOTE_TRANSPORT_URL=transport))
                       for n, transport in enumerate(transports)]
            waits = stack.enter_context(WaitEvents(self.postgres, database))
            before = self.wait_for(servers, RUN_UP * jobs)
            began = time.monotonic()
            self.wait_for(servers, jobs)
            elapsed = time.monotonic() - began
        taken = self.nginx.taken() - taken
        self.postgres.drop(database)
        return {"jobsPerSecond": round((jobs - before) / elapsed, 1), "deliveredTwice": taken - jobs, "waits": waits.shares,
                "lockShare": waits.locks}

    @staticmethod
    def wait_for(servers, jobs, seconds=600):
        end = time.monotonic() + seconds
        while (done := sum(server.delivered(POOL) for server in servers)) < jobs:
            if time.monotonic() > end:
                raise Trouble(f"only {done:.0f} of {jobs} jobs were delivered in {seconds} s")
            time.sleep(0.02)
        return done

    @staticmethod
    def compared(letter, name, one, other, rounds, target):
        rate, base = (statistics.median(each["jobsPerSecond"] for each in rounds[who]) for who in (one, other))
        clean = not any(each["deliveredTwice"] for each in rounds[one])
        middle = min(rounds[one], key=lambda each: abs(each["jobsPerSecond"] - rate))
        return figure(letter, name, round(rate / base, 2), target, clean and rate / base >= target, "ratio",
                      note=f"{rate:,.0f}/s ÷ {base:,.0f}/s; PostgreSQL's sessions: {middle['waits']}; at locks"
                           f" {middle['lockShare']:.1%}" + ("" if clean else "; DELIVERED TWICE"),
                      counts="waits", rounds=rounds)

    # ---- q: the plan ----

    def plan(self):
        rows = self.scale.rows
        say(f"q: the scheduler's query over {rows:,} rows")
        database = f"plan_{next(self.serial)}"
        self.postgres.create(database)
        self.SERVER(self.programs, self.postgres.url(database), self.folder / database).migrate()
        self.fill(database, rows)
        plan = self.explain(database)
        self.postgres.drop(database)
        scans = collections.Counter()
        self.walk(plan["Plan"], scans)
        indexes = sorted(name for name in scans if not name.startswith("Seq Scan"))
        bad = [name for name in scans if name.startswith("Seq Scan")]
        millis = plan["Execution Time"]
        met = not bad and any("outbox_ready" in name for name in indexes) and millis <= PLAN_MILLIS
        return figure("q", f"ms to claim 100 due jobs of {rows:,} for the broker", round(millis, 1), PLAN_MILLIS, met, "ms",
                      note="; ".join(bad + indexes), counts="query", plan=plan)

    def fill(self, database, rows):
        """98 of 100 are finished; of the rest half is due now. A hundred lanes, an hour of next attempts."""
        self.postgres.sql(database, f"""SET synchronous_commit = off;
            INSERT INTO outbox (id, next_attempt_at, lane_id, client_id, channel, status, finished_at)
            SELECT g::bigint << 22, now() + (g % 7200 - 3600) * interval '1 second', g % 100 + 1, 1, 'webhook',
                   CASE WHEN g % 50 = 0 THEN 'queued' ELSE 'sent' END, CASE WHEN g % 50 <> 0 THEN now() END
              FROM generate_series(1, {rows}) g;
            VACUUM ANALYZE outbox;""")

    def explain(self, database):
        """As the program asks: prepared, the plan made without its parameters. Sequential scans are not forbidden here."""
        out = self.postgres.sql(database, f"""SET plan_cache_mode = force_generic_plan; SET jit = off;
            PREPARE claim AS {QUERY.read_text()};
            BEGIN;
            EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE claim(ARRAY[1, 51], ARRAY[50, 50],
              ARRAY[now() - interval '1 day', now() - interval '1 day'], 4294967296);
            ROLLBACK;""")
        return json.loads("\n".join("\t".join(row) for row in out))[0]

    def walk(self, node, scans):
        if "Relation Name" in node and "Scan" in node["Node Type"]:
            scans[f"{node['Node Type']} {node.get('Index Name', node['Relation Name'])}"] += 1
        for child in node.get("Plans", []):
            self.walk(child, scans)
