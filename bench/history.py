"""Figures D and E: the speed of a drain beside very many rows that are not its own, and beside a transaction that stays open, which
keeps PostgreSQL from clearing away what is dead."""
import contextlib
import datetime
import statistics
import subprocess
import time

from figures import figure
from parts import Trouble, say
from peers import POOL

BESIDE_ROWS, BESIDE_A_TRANSACTION = 0.9, 0.8
# Ten million of them reach back 23 days: all inside the retention of 30.
FINISHED_STEP_MILLIS = 200
FUTURE_DAYS = 20
RATE = 500  # of jobs that come and go while the transaction is open, and leave dead rows
DRAINS = 3


# ---- D: rows ----

def beside_rows(bench):
    say(f"D: drain beside {bench.scale.finished:,} finished and {bench.scale.future:,} future jobs, and with none")
    return [beside_rows_on(bench, store) for store in bench.stores]


def beside_rows_on(bench, store):
    full = bench.fresh(store)
    fill(bench, full)
    rounds = {"beside them": [], "empty": []}
    for name in bench.take_turns(list(rounds)):
        server = bench.server(store, full.folder.name) if name == "beside them" else bench.fresh(store)
        with server:
            if name == "empty":
                server.make_pool(POOL, concurrency=1000)
            rounds[name].append(drained(bench, server))
        if name == "empty":
            bench.discard(server)
        say(f"  {store}, {name}: {rounds[name][-1]:,.0f} jobs/s")
    bench.discard(full)
    return compared("D", f"drain beside {bench.scale.finished:,} finished, {bench.scale.future:,} future ÷ empty, {store}",
                    BESIDE_ROWS, rounds, store)


def fill(bench, server):
    later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=FUTURE_DAYS)
    with server:
        server.make_pool(POOL, concurrency=1000)
        server.hand_in(1, bench.nginx.url(), POOL, payload="{}")
        server.wait_until_delivered(1, POOL, 30)
    bench.copy_job(server, bench.scale.finished, step_millis=FINISHED_STEP_MILLIS)
    with bench.server(store_of(server), server.folder.name) as again:
        # In the lane of those that are drained: the claim has to stop before them.
        again.hand_in(1, bench.nginx.url(), POOL, payload="{}", scheduledFor=later.isoformat(timespec="seconds"))
    bench.copy_job(server, bench.scale.future, step_millis=1)


def store_of(server):
    return "postgresql" if server.environment["EILBOTE_STORE_URL"].startswith("postgresql") else "sqlite"


# ---- E: a transaction that stays open ----

def beside_a_transaction(bench):
    """One stretch with it and one without, the same load in both; the drains at the end, while it is still open."""
    seconds = bench.scale.hold_seconds
    say(f"E: drain beside a transaction that is open for {seconds} s, and without")
    rounds = {}
    for name, held in (("beside it", True), ("without", False)):
        with bench.fresh("postgresql") as server:
            server.make_pool(POOL, concurrency=1000)
            with open_transaction(bench.postgres, server.folder.name) if held else contextlib.nullcontext():
                with bench.job_file(server, bench.nginx.url(), "{}") as body:
                    load = bench.post(server.port, "/dispatch-jobs", body, rate=RATE, seconds=seconds)
                server.wait_until_delivered(load["accepted"], POOL, 60)
                rounds[name] = [drained(bench, server) for _ in range(DRAINS)]
        bench.discard(server)
        say(f"  {name}: {', '.join(f'{one:,.0f}' for one in rounds[name])} jobs/s")
    return compared("E", f"drain beside a transaction open for {seconds} s ÷ without, postgresql", BESIDE_A_TRANSACTION, rounds,
                    "postgresql", f"; {RATE} jobs/s came and went meanwhile")


@contextlib.contextmanager
def open_transaction(postgres, database):
    """A session that keeps a snapshot and does nothing, as a report or a dump does."""
    session = subprocess.Popen([postgres.bin / "psql", "-X", "-q", "-A", "-t", "-d", postgres.url(database)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        print("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM lanes;", file=session.stdin, flush=True)
        if not session.stdout.readline():
            raise Trouble("psql opened no transaction")
        yield
        held, = postgres.sql(database, "SELECT count(*) FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND"
                                       " state = 'idle in transaction' AND datname = current_database();")[0]
        if int(held) != 1:
            raise Trouble("the transaction did not stay open")
    finally:
        session.communicate()


# ---- both ----

def drained(bench, server):
    """Jobs per second of a queue that waits, as in figure i; the pool is active again afterwards."""
    bench.warm_up(server, POOL, bench.nginx.url())
    server.hand_in(bench.scale.jobs, bench.nginx.url(), POOL)
    before = server.delivered(POOL)
    bench.postgres.checkpoint()
    began = time.monotonic()
    server.activate(POOL)
    server.wait_until_delivered(before + bench.scale.jobs, POOL, 600)
    return round(bench.scale.jobs / (time.monotonic() - began), 1)


def compared(letter, name, target, rounds, store, more=""):
    one, other = (statistics.median(rates) for rates in rounds.values())
    return figure(letter, name, round(one / other, 2), target, one / other >= target, "ratio", store=store, counts="queue",
                  note=f"{one:,.0f}/s ÷ {other:,.0f}/s; {bench_rounds(rounds)}{more}", rounds=rounds)


def bench_rounds(rounds):
    return "; ".join(f"{name}: {', '.join(f'{rate:,.0f}' for rate in rates)}" for name, rates in rounds.items())
