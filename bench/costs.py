"""What a stretch of work costs, for every contestant alike: CPU by process, memory, and what PostgreSQL writes for it."""
import re

import proc
from parts import Trouble, run, say


class Wal:
    """What PostgreSQL writes into its log, and how many transactions write. Transaction ids are counted instead of
    pg_stat_database.xact_commit: sessions report that up to ten seconds late, and it has reads in it, which sync nothing."""

    def __init__(self, postgres):
        self.postgres = postgres

    def look(self):
        # Up to what is on the disk: what is not cannot be read again, and nobody has committed it.
        lsn, xid = self.postgres.sql(
            "postgres", "SELECT pg_current_wal_flush_lsn(), pg_snapshot_xmax(pg_current_snapshot());")[0]
        return {"lsn": lsn, "xid": int(xid)}

    def __enter__(self):
        self.before = self.look()
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            return
        after = self.look()
        self.commits = after["xid"] - self.before["xid"]
        self.all_bytes = position(after["lsn"]) - position(self.before["lsn"])
        self.page_bytes, self.by_record = self.read(self.before["lsn"], after["lsn"]) if self.all_bytes else (0, {})
        self.bytes = None if self.page_bytes is None else self.all_bytes - self.page_bytes

    def read(self, start, end):
        """By PostgreSQL's own reader of its log: bytes of whole pages, which the first change after a checkpoint writes, and
        {kind of record: bytes without these}, the largest first."""
        folder = self.postgres.data / "pg_wal"
        try:
            text = run([*self.postgres.as_user, self.postgres.bin / "pg_waldump", "--stats=record", "-p", folder, "-s", start,
                        "-e", end], cwd="/")
        except Trouble as trouble:
            say(f"    no WAL bytes: {trouble}")  # the log may be recycled already
            return None, {}
        kinds = re.findall(r"^(\w+/\S+) +\d+ +\( *[\d.]+\) +(\d+)", text, re.MULTILINE)
        by_record = dict(sorted(((kind, int(count)) for kind, count in kinds), key=lambda one: -one[1])[:10])
        return int(re.search(r"^Total +\d+ +\d+ \[[^]]*\] +(\d+) \[", text, re.MULTILINE).group(1)), by_record


def position(lsn):
    high, low = lsn.split("/")
    return (int(high, 16) << 32) + int(low, 16)


class Costs:
    """`cpu`: a function for each process that says its CPU seconds. `pids`: the contestant's own, whose memory counts; that of
    PostgreSQL is the same shared buffers for everybody."""

    def __init__(self, postgres, cpu, pids):
        self.cpu, self.pids, self.wal = cpu, pids, Wal(postgres)

    def __enter__(self):
        self.wal.__enter__()
        self.before = {name: read() for name, read in self.cpu.items()}
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            return
        self.spent = {name: read() - self.before[name] for name, read in self.cpu.items()}
        self.wal.__exit__(None)
        self.rss = sum(proc.memory_mb(pid)[1] for pid in self.pids)

    def columns(self, jobs, seconds=None, times=None):
        """A row of the table of contestants; `times`: milliseconds, in order."""
        micros = {name: round(1e6 * one / jobs, 1) for name, one in self.spent.items()}
        return {"perSecond": seconds and round(jobs / seconds, 1), "p50": times and quantile(times, 0.5),
                "p99": times and quantile(times, 0.99), "cpuMicros": micros, "cpuMicrosSum": round(sum(micros.values()), 1),
                "walBytes": self.wal.bytes and round(self.wal.bytes / jobs),
                "walPageBytes": self.wal.page_bytes and round(self.wal.page_bytes / jobs),
                "walByRecord": {kind: round(count / jobs) for kind, count in self.wal.by_record.items()},
                "commits": round(self.wal.commits / jobs, 4), "rssMb": round(self.rss, 1)}


def quantile(ordered, part):
    return round(ordered[min(len(ordered) - 1, int(part * len(ordered)))], 2)
