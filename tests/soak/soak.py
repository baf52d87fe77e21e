#!/usr/bin/env python3
"""./dev soak: a server under a constant load of mails and webhooks, looked at every few seconds: does it grow?

Fills the caches first; then compares the medians of the second and the last quarter of the run: memory, file descriptors and threads must
stay, and the WAL of SQLite within its bound. Prints a table; ends with 1 when something grew, or was not accepted or delivered.
The server, PostgreSQL and the load generator are the bench's.
"""
import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "bench"))

import proc  # noqa: E402
from parts import Postgres, Programs, Server, Trouble, say  # noqa: E402
from sink import free_port, must_listen, stop  # noqa: E402

LOOK_EVERY = 2.0  # seconds
WARM_UP_MAILS = 40_000  # before the clock runs: more pages than SQLite's caches hold
WAL_MB_MAX = 16.0  # what the store promises: tests/conformance/sqlite_wal_test.cpp

# What may be more in the last quarter than in the second: a part of that, and a few on top. Caches still fill in a short run.
GROWTH = {"memory, MB": (0.05, 8.0), "file descriptors": (0.0, 8.0), "threads": (0.0, 2.0)}


def arguments():
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10, help="how long (10; 1 is a first look)")
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--rate", type=float, default=100, help="mails per second, and as many webhooks (100)")
    parser.add_argument("--folder", default="/var/tmp", help="where database and captures go; on a real disk")
    parser.add_argument("--build", default=str(PROJECT / "build" / "release"), help="folder with eilbote and eilbote_load")
    return parser.parse_args()


@contextlib.contextmanager
def running(command, **options):
    process = subprocess.Popen([str(part) for part in command], **options)
    try:
        yield process
    finally:
        stop(process)


@contextlib.contextmanager
def endpoint():
    """Says 200 to every webhook at once."""
    port = free_port()
    with running([sys.executable, PROJECT / "bench" / "endpoint.py", port, 0], stderr=subprocess.DEVNULL) as process:
        must_listen(port, process, "the endpoint")
        yield f"http://127.0.0.1:{port}/any"


def megabytes(path):
    return path.stat().st_size / 2**20 if path.exists() else 0.0


def look(server, database):
    """Everything that must not grow, and beside it what does."""
    memory, _ = proc.memory_mb(server.pid)
    return {"memory, MB": memory, "file descriptors": len(os.listdir(f"/proc/{server.pid}/fd")),
            "threads": proc.thread_count(server.pid), "WAL, MB": megabytes(Path(f"{database}-wal")),
            "database, MB": megabytes(database)}


def throw_captures_away(server):
    """They would fill the disk, and are nobody's."""
    with contextlib.suppress(FileNotFoundError):
        for entry in os.scandir(server.captured):
            if entry.name.endswith(".eml"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(entry.path)


def watch(server, database, loads, seconds):
    """A look every LOOK_EVERY seconds; Trouble when the server or a load ends early."""
    looks, began = [], time.monotonic()
    while (passed := time.monotonic() - began) < seconds:
        for process in [server.process, *loads]:
            if process.poll() not in (None, 0) or (process.poll() == 0 and passed < seconds - 10):
                raise Trouble(f"{Path(process.args[0]).name} ended after {passed:.0f} s with {process.poll()}")
        looks.append(look(server, database))
        throw_captures_away(server)
        time.sleep(LOOK_EVERY)
    return looks


def judge(looks, store):
    """Rows of the table: what, median of each quarter, the most it may be at the end, whether it is."""
    quarter = len(looks) // 4
    rows = []
    for name in looks[0]:
        medians = [statistics.median(one[name] for one in looks[i * quarter:(i + 1) * quarter]) for i in range(4)]
        bound = None
        if name in GROWTH:
            part, more = GROWTH[name]
            bound = medians[1] * (1 + part) + more
        elif name == "WAL, MB" and store == "sqlite":
            bound = WAL_MB_MAX
            medians[3] = max(one[name] for one in looks)
        rows.append((name, medians, bound, bound is None or medians[3] <= bound))
    return rows


def print_table(rows):
    print(f"{'median of the quarter':<20} {'1st':>9} {'2nd':>9} {'3rd':>9} {'last':>9} {'at most':>9}")
    for name, medians, bound, is_well in rows:
        cells = " ".join(f"{value:9.1f}" for value in medians)
        print(f"{name:<20} {cells} {'' if bound is None else f'{bound:.1f}':>9}  {'' if is_well else 'GROWS'}")


def delivered(server, seconds=60):
    """What was accepted and what was sent, mails and webhooks together, once nothing is on its way any more."""
    end = time.monotonic() + seconds
    while True:
        totals = server.metrics()
        accepted = totals["eilbote_messages_accepted_total"] + totals["eilbote_webhooks_accepted_total"]
        sent = totals["eilbote_messages_sent_total"] + totals["eilbote_webhooks_delivered_total"]
        if sent >= accepted or time.monotonic() > end:
            return accepted, sent
        time.sleep(0.5)


def soak(options, folder, store_url, database):
    programs = Programs(Path(options.build))
    seconds = options.minutes * 60
    server = Server(programs, store_url, folder, EILBOTE_DISPATCH="continuous")
    if options.store == "postgres":
        server.migrate()
    with endpoint() as url, server:
        say(f"warming up with {WARM_UP_MAILS:,} mails")
        server.post_mails(requests=WARM_UP_MAILS, connections=32)
        server.wait_until_sent(WARM_UP_MAILS, 120)
        throw_captures_away(server)
        mails = [programs.load, "--port", server.port, "--rate", options.rate, "--seconds", seconds, "--connections", 16]
        hooks = [sys.executable, PROJECT / "bench" / "hook_load.py", server.port, "webhook", url, options.rate, seconds]
        say(f"{options.minutes:g} min on {options.store}: {options.rate:g} mails/s and as many webhooks")
        with running(mails, stdout=subprocess.DEVNULL) as first, running(hooks, stdout=subprocess.DEVNULL) as second:
            looks = watch(server, database, [first, second], seconds)
            for process in (first, second):
                if process.wait(120) != 0:
                    raise Trouble(f"{Path(process.args[0]).name} met errors")
        accepted, sent = delivered(server)
    rows = judge(looks, options.store)
    print_table(rows)
    print(f"{accepted:,.0f} accepted, {sent:,.0f} delivered; {len(looks)} looks")
    return all(row[3] for row in rows) and 0 < accepted == sent


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="eilbote-soak-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        if options.store == "sqlite":
            database = folder / "data" / "outbox.db"
            return 0 if soak(options, folder / "data", f"sqlite:{database}", database) else 1
        with Postgres(folder) as postgres:
            postgres.create("soak")
            return 0 if soak(options, folder / "data", postgres.url("soak"), folder / "nothing") else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Trouble, KeyboardInterrupt) as trouble:
        say(f"soak: {trouble}")
        sys.exit(1)
