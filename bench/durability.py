"""Whether what is measured is durable. `must_be_durable`: PostgreSQL's settings, before any figure. Figure F: the server is killed with
kill -9 under load, PostgreSQL as well, and everything that was acknowledged must be there; SQLite must have synced for each commit."""
import http.client
import struct
import subprocess
import time

from figures import figure
from parts import Server, Trouble, say

WANTED = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
CONNECTIONS = 64


def must_be_durable(postgres):
    """{setting: value} of a new session; a Trouble where one of them buys speed with durability."""
    found = {name: postgres.sql("postgres", f"SHOW {name};")[0][0] for name in WANTED}
    if found != WANTED:
        raise Trouble(f"PostgreSQL is not durable: {found}")
    return found


def figures(bench):
    say(f"F: kill -9 after {bench.scale.acknowledged:,} acknowledged mails")
    return [lost_figure(bench, store) for store in bench.stores]


def lost_figure(bench, store):
    server = KilledServer.like(bench.fresh(store, EILBOTE_DISPATCH="continuous"), bench.programs)
    with server:
        acknowledged, commits, syncs = load_until_killed(bench, server)
    if store == "postgresql":
        bench.postgres.crash()
    ids = [line for line in acknowledged.read_text().split("\n")[:-1] if line]
    with bench.server(store, server.folder.name, EILBOTE_DISPATCH="continuous") as again:
        lost = sum(not is_there(again, one) for one in ids)
    bench.discard(server)
    # Without a sync per commit there would be one for every thousand pages.
    synced = store == "postgresql" or syncs >= commits
    say(f"  {store}: {lost} of {len(ids):,} lost; {commits:.0f} commits of the intake, {syncs} syncs by the server")
    note = f"of {len(ids):,} acknowledged by 64 connections"
    note += ("; PostgreSQL was killed as well, and came back from its log" if store == "postgresql" else
             f"; {commits:.0f} commits of the intake, {syncs} syncs" + ("" if synced else ": NOT SYNCED"))
    return figure("F", f"acknowledged mails that are gone after kill -9, {store}", lost, 0, lost == 0 and synced and len(ids) > 0,
                  "mails", store=store, counts="commits", note=note, acknowledged=len(ids), syncs=syncs)


def load_until_killed(bench, server):
    """(file with the ids, commits, syncs); the last two at half time. The load ends by itself when nobody answers any more."""
    acknowledged = server.folder / "acknowledged"
    load = subprocess.Popen([bench.programs.load, "--port", str(server.port), "--connections", str(CONNECTIONS), "--seconds", "600",
                             "--patience", "5", "--accepted-file", acknowledged], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_lines(acknowledged, bench.scale.acknowledged, load)
        commits, syncs = server.metrics()["eilbote_intake_commits_total"], server.syncs()
        wait_for_lines(acknowledged, 2 * bench.scale.acknowledged, load)
        server.process.kill()
        server.process.wait()
        load.wait(30)
    finally:
        load.kill()
        load.wait()
    return acknowledged, commits, syncs


def wait_for_lines(file, count, load, seconds=120):
    end = time.monotonic() + seconds
    while not file.exists() or file.read_bytes().count(b"\n") < count:
        if load.poll() is not None or time.monotonic() > end:
            raise Trouble(f"{count} mails were not acknowledged")
        time.sleep(0.05)


def is_there(server, message):
    server.connection.request("GET", f"/messages/{message}")
    answer = server.connection.getresponse()
    answer.read()
    return answer.status == http.client.OK


class KilledServer(Server):
    """Ends by kill -9, and has its syncs counted."""

    @classmethod
    def like(cls, server, programs):
        server.__class__ = cls
        server.counts = server.folder / "syncs"
        server.environment.update(LD_PRELOAD=str(programs.count_syncs), BENCH_SYNC_COUNT=str(server.counts))
        return server

    def syncs(self):
        """By this program alone: with PostgreSQL it has nothing to sync, and there is no file."""
        return struct.unpack("Q", self.counts.read_bytes())[0] if self.counts.exists() else 0

    def __exit__(self, *_):
        self.connection.close()
        self.process.kill()
        self.process.wait()
        self.log.close()
