"""The figures of ./dev bench, one method each. A figure is measured in rounds; the contestants of a round take turns, so
that a noisy minute hits all of them; the median counts."""
import itertools
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import auth
import console
import first_attempt
import proc
import rows
from parts import Server, Watch, say

STORES = ("postgresql", "sqlite")
TEXT_BYTES = 1024  # of the mail's text, and of pgbench's row


@dataclass(frozen=True)
class Scale:
    seconds: int       # of one measurement under load
    queued: int        # mails waiting while memory is read
    finished: int      # mails in the history
    drain: int         # mails of one drain
    quick: bool


FULL = Scale(seconds=10, queued=1_000_000, finished=5_000_000, drain=50_000, quick=False)
QUICK = Scale(seconds=3, queued=50_000, finished=200_000, drain=10_000, quick=True)
SCALES = {"full": FULL, "quick": QUICK}


def figure(letter, name, value, target, met, unit, **details):
    return {"figure": letter, "name": name, "value": value, "target": target, "met": met, "unit": unit, **details}


def cpu_per(of, count, cpu_seconds):
    """CPU seconds by process as microseconds per mail or job; the report knows the key by its beginning."""
    return {f"cpuMicrosPer{of.capitalize()}": {name: round(seconds * 1e6 / max(count, 1), 1)
                                               for name, seconds in cpu_seconds.items()}}


def resources(watch, count, load_cpu=0.0, of="mail", **others):
    """What a stretch of time cost: CPU by process and mail (or job), busy cores, each thread's share of the time."""
    cpu = {"server": watch.server_cpu, "postgres": watch.postgres_cpu, "load": load_cpu, **others}
    return {**cpu_per(of, count, cpu),
            "coresBusy": round(sum(cpu.values()) / watch.seconds, 2),
            "threadShare": {name: round(seconds / watch.seconds, 2) for name, seconds in watch.threads.items()
                            if seconds > 0}}


class Bench:
    LETTERS = "abcdefmrstu"
    SERVER = Server

    def __init__(self, programs, postgres, folder, scale, rounds, stores):
        self.programs, self.postgres, self.folder = programs, postgres, folder
        self.scale, self.rounds, self.stores = scale, rounds, stores
        self.serial = itertools.count(1)

    def run(self, letters):
        figures = []
        if set(letters) & set("ab"):
            figures += self.accepts(letters)
        if "c" in letters:
            figures += self.post_latency()
        if "d" in letters:
            figures += self.capture_latency()
        if "e" in letters:
            figures += self.memory()
        if "f" in letters:
            figures += self.drain()
        if "m" in letters:
            figures += auth.figures(self, figure)
        if set(letters) & set("rs"):
            figures += first_attempt.figures(self, figure, resources)
        if set(letters) & set("tu"):
            figures += console.figures(self, figure, letters)
        return figures

    # ---- stores ----

    def fresh(self, store, **settings):
        """A server (not started) on an empty store of its own."""
        name = f"bench_{next(self.serial)}"
        if store == "postgresql":
            self.postgres.create(name)
        return self.server(store, name, **settings).migrate()

    def server(self, store, name, **settings):
        folder = self.folder / name
        url = self.postgres.url(name) if store == "postgresql" else f"sqlite:{folder}/bench.db"
        return self.SERVER(self.programs, url, folder, **settings)

    def discard(self, server):
        """The database goes. Captured mails stay until the end of the run: ext4 looks at every inode that was freed in
        the last seconds before it makes a new file, and a hundred thousand of them would slow the next contestant."""
        if server.environment["EILBOTE_STORE_URL"].startswith("postgresql"):
            self.postgres.drop(server.folder.name)
        for file in server.folder.glob("bench.db*"):
            file.unlink()

    def count_rows(self, server, condition):
        name = server.folder.name
        if server.environment["EILBOTE_STORE_URL"].startswith("postgresql"):
            return int(self.postgres.sql(name, f"SELECT {condition} FROM outbox;")[0][0])
        return rows.sqlite_value(server.folder / "bench.db", f"SELECT {condition} FROM outbox")

    # ---- a, b: accepts per second ----

    def accepts(self, letters):
        wanted = [store for store, letter in zip(STORES, "ab") if letter in letters and store in self.stores]
        say("a, b: HTTP accepts/s beside pgbench")
        inserts, accepts = [], {store: [] for store in wanted}
        contestants = [("pgbench", lambda: inserts.append(self.inserts_per_second()))]
        contestants += [(store, lambda store=store: accepts[store].append(self.accepts_per_second(store)))
                        for store in wanted]
        for turn in range(self.rounds):
            for name, contestant in contestants[turn % len(contestants):] + contestants[:turn % len(contestants)]:
                self.postgres.checkpoint()
                contestant()
        base = statistics.median(inserts)
        return [self.accept_figure(store, base, inserts, accepts[store]) for store in wanted]

    def inserts_per_second(self):
        script = self.folder / "insert.sql"
        script.write_text(f"INSERT INTO bench_insert (body) VALUES ('{'x' * TEXT_BYTES}');\n")
        self.postgres.create("bench_insert")
        self.postgres.sql("bench_insert", "CREATE TABLE bench_insert (body text NOT NULL);")
        self.postgres.pgbench("bench_insert", script, 1)
        rate = self.postgres.pgbench("bench_insert", script, self.scale.seconds)
        self.postgres.drop("bench_insert")
        say(f"  pgbench: {rate:,.0f} inserts/s")
        return rate

    def accepts_per_second(self, store):
        with self.fresh(store, EILBOTE_DISPATCH="triggered") as server:
            server.post_mails(connections=64, seconds=1, text_bytes=TEXT_BYTES)
            with Watch(server, self.postgres) as watch:
                load = server.post_mails(connections=64, seconds=self.scale.seconds, text_bytes=TEXT_BYTES)
        stored = self.count_rows(server, "count(*)")
        self.discard(server)
        mails = load["accepted"]
        commits = watch.metrics["eilbote_intake_commits_total"]
        commit_seconds = watch.metrics["eilbote_intake_commit_seconds_sum"]
        round_ = {"acceptsPerSecond": load["rate"], "errors": load["errors"], "rowsAtTheEnd": stored,
                  "batchMean": round(mails / max(commits, 1), 1),
                  "commitMillisMean": round(1000 * commit_seconds / max(commits, 1), 2),
                  "commitShare": round(commit_seconds / watch.seconds, 2), "latencyMillis": load["latencyMillis"],
                  **resources(watch, mails, load["cpuSeconds"])}
        say(f"  {store}: {load['rate']:,.0f} accepts/s, batch {round_['batchMean']}, {round_['cpuMicrosPerMail']}")
        return round_

    def accept_figure(self, store, base, inserts, rounds):
        rate = statistics.median(one["acceptsPerSecond"] for one in rounds)
        middle = min(rounds, key=lambda one: abs(one["acceptsPerSecond"] - rate))
        target = 1.0 if store == "postgresql" else 1.2
        return figure("a" if store == "postgresql" else "b",
                      f"HTTP accepts/s on {store}, 64 connections, 1 KB ÷ pgbench INSERT", round(rate / base, 2), target,
                      rate / base >= target, "ratio", store=store,
                      note=f"{rate:,.0f}/s ÷ {base:,.0f}/s; EILBOTE_DISPATCH=triggered: only acceptance is measured",
                      pgbenchPerSecond=inserts, middle=middle, rounds=rounds)

    # ---- c: latency of POST ----

    def post_latency(self):
        say("c: p99 of POST at 2,000/s, while mails are delivered")
        rounds = self.interleaved(lambda store: self.open_loop(store, 2000))
        return [self.latency_figure("c", store, "p99 of POST at 2,000/s", 25, "latencyMillis", rounds[store])
                for store in self.stores]

    # ---- d: accept to captured ----

    def capture_latency(self):
        say("d: POST to the captured file at 500/s")
        rounds = self.interleaved(lambda store: self.open_loop(store, 500, captures=True))
        return [self.latency_figure("d", store, "POST to captured file, p99 at 500/s", 50, "captureMillis", rounds[store])
                for store in self.stores]

    def interleaved(self, contestant):
        rounds = {store: [] for store in self.stores}
        for turn in range(self.rounds):
            for store in self.stores[turn % len(self.stores):] + self.stores[:turn % len(self.stores)]:
                self.postgres.checkpoint()
                rounds[store].append(contestant(store))
        return rounds

    def open_loop(self, store, rate, captures=False):
        with self.fresh(store, EILBOTE_DISPATCH="continuous") as server:
            server.post_mails(connections=64, rate=rate, seconds=1)
            more = {"capture_folder": server.captured} if captures else {}
            with Watch(server, self.postgres) as watch:
                load = server.post_mails(connections=64, rate=rate, seconds=self.scale.seconds, text_bytes=TEXT_BYTES,
                                         **more)
        self.discard(server)
        load.update(resources(watch, load["accepted"], load["cpuSeconds"]))
        what = load["captureMillis" if captures else "latencyMillis"]
        say(f"  {store}: {load['rate']:,.0f}/s, p50 {what['p50']:.1f}, p99 {what['p99']:.1f}, max {what['max']:.1f} ms")
        return load

    def latency_figure(self, letter, store, name, target, what, rounds):
        value = statistics.median(one[what]["p99"] for one in rounds)
        middle = min(rounds, key=lambda one: abs(one[what]["p99"] - value))
        clean = not any(one["errors"] for one in rounds)
        times = middle[what]
        return figure(letter, f"{name}, {store}", round(value, 1), target, clean and value <= target, "ms", store=store,
                      note=f"p50 {times['p50']:.1f}, p90 {times['p90']:.1f}, max {times['max']:.1f}; open loop,"
                           " from the scheduled time" + ("" if clean else "; with errors"),
                      middle=middle, rounds=rounds)

    # ---- e: memory ----

    def memory(self):
        say(f"e: memory with {self.scale.queued:,} queued mails")
        return [self.memory_on(store) for store in self.stores]

    def memory_on(self, store):
        server = self.fresh(store, EILBOTE_DISPATCH="triggered")
        with server:
            server.post_mails(requests=1, connections=1, text_bytes=TEXT_BYTES)
        self.copy_job(server, self.scale.queued, step_millis=1)
        server = self.server(store, server.folder.name, EILBOTE_DISPATCH="continuous")
        with server:
            load = server.post_mails(connections=64, rate=500, seconds=2 * self.scale.seconds, text_bytes=TEXT_BYTES)
            sent = server.metrics()["eilbote_messages_sent_total"]
            now, highest = proc.memory_mb(server.pid)
        left = self.count_rows(server, "count(*) FILTER (WHERE status = 'queued')")
        self.discard(server)
        say(f"  {store}: {highest:.0f} MB at most, {now:.0f} MB at the end; {sent:,.0f} sent, {left:,} left")
        return figure("e", f"RSS with {self.scale.queued:,} queued mails, {store}", round(highest, 1), 150,
                      highest <= 150, "MB", store=store,
                      note=f"highest ever (VmHWM), while it delivers from that queue and takes 500/s more;"
                           f" {left:,} were left", residentNow=round(now, 1), sent=sent, load=load)

    def copy_job(self, server, count, step_millis):
        """Of the newest one, be it a mail or a webhook."""
        mail = self.count_rows(server, "max(id)")
        if server.environment["EILBOTE_STORE_URL"].startswith("postgresql"):
            rows.copy_in_postgres(self.postgres, server.folder.name, mail, count, step_millis)
            self.postgres.checkpoint()
        else:
            rows.copy_in_sqlite(server.folder / "bench.db", mail, count, step_millis)

    # ---- f: drain ----

    def drain(self):
        say(f"f: drain with {self.scale.finished:,} finished mails and with none")
        return [self.drain_on(store) for store in self.stores]

    def drain_on(self, store):
        full = self.fresh(store, EILBOTE_DISPATCH="continuous")
        with full:
            full.post_mails(requests=1, connections=1, text_bytes=64)
            full.wait_until_sent(1, 30)
        began = time.monotonic()
        # Half a second apart, five million mails reach back 29 days: all inside the retention.
        self.copy_job(full, self.scale.finished, step_millis=500)
        say(f"  {store}: history written in {time.monotonic() - began:.0f} s")
        empty_rounds, full_rounds = [], []
        for turn in range(self.rounds):
            steps = [(full.folder.name, full_rounds), (None, empty_rounds)]
            for name, rounds in steps if turn % 2 else reversed(steps):
                rounds.append(self.drained_per_second(store, name))
        self.discard(full)
        with_history, without = (statistics.median(one["mailsPerSecond"] for one in rounds)
                                 for rounds in (full_rounds, empty_rounds))
        middle = min(full_rounds, key=lambda one: abs(one["mailsPerSecond"] - with_history))
        return figure("f", f"drain with {self.scale.finished:,} finished mails ÷ with none, {store}",
                      round(with_history / without, 2), 0.9, with_history / without >= 0.9, "ratio", store=store,
                      note=f"{with_history:,.0f}/s ÷ {without:,.0f}/s; {self.scale.drain:,} mails captured and settled",
                      middle=middle, withHistory=full_rounds, withNone=empty_rounds)

    def drained_per_second(self, store, name):
        """From the twentieth part sent to all sent: the start of the server is not measured."""
        if name is None:
            server = self.fresh(store, EILBOTE_DISPATCH="triggered")
        else:
            server = self.server(store, name, EILBOTE_DISPATCH="triggered")
        with server:
            server.post_mails(connections=64, requests=self.scale.drain, text_bytes=TEXT_BYTES)
        self.postgres.checkpoint()
        # In memory where there is such a place: a file system that makes 50,000 files a round is slower by a factor of
        # three from one round to the next, and this figure is about the outbox.
        memory = Path("/dev/shm")
        with tempfile.TemporaryDirectory(prefix="eilbote-bench-", dir=memory if memory.is_dir() else None) as captured:
            server = self.server(store, server.folder.name, EILBOTE_DISPATCH="continuous", EILBOTE_CAPTURE_DIR=captured)
            with server, Watch(server, self.postgres) as watch:
                samples = server.wait_until_sent(self.scale.drain, 300)
        first = next(sample for sample in samples if sample[1] >= self.scale.drain / 20)
        rate = (samples[-1][1] - first[1]) / (samples[-1][0] - first[0])
        if name is None:
            self.discard(server)
        say(f"  {store}, {'no history' if name is None else 'history'}: {rate:,.0f} mails/s")
        return {"mailsPerSecond": round(rate, 1), **resources(watch, samples[-1][1])}
