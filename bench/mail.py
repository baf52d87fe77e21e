"""The figures of ./dev bench mail: mails accepted and handed to an SMTP server, beside Postfix that relays as many of the
same size to the same server; and how many connections a slow server gets."""
import statistics
import threading
import time
from dataclasses import dataclass

import proc
from figures import Bench, figure, resources
from parts import Watch, say
from postfix import Postfix
from sink import Sink, SlowSink

TEXT_BYTES = 2048
ANSWER_MILLIS = 200
ANSWERS_PER_MAIL = 4  # MAIL, RCPT, DATA, the dot
CONNECTIONS = 100
SESSIONS = 20  # of smtp-source
TARGETS = {"postgresql": 8, "sqlite": 10}


@dataclass(frozen=True)
class Scale:
    mails: int        # of one measurement, the same number for everybody
    warm_up: int
    slow_mails: int   # to the slow sink
    quick: bool


SCALES = {"full": Scale(mails=20_000, warm_up=2_000, slow_mails=2_000, quick=False),
          "quick": Scale(mails=4_000, warm_up=1_000, slow_mails=600, quick=True)}


class MailBench(Bench):
    LETTERS = "gh"
    postfix_programs = None  # set by bench/run

    def run(self, letters):
        figures = []
        if "g" in letters:
            figures += self.handed_over()
        if "h" in letters:
            figures += [self.slow_sink(store) for store in self.stores]
        return figures

    def smtp_server(self, store, port, **settings):
        return self.fresh(store, EILBOTE_DISPATCH="continuous", EILBOTE_MAIL_PROVIDER="smtp",
                          EILBOTE_SMTP_URL=f"smtp://127.0.0.1:{port}?tls=off", **settings)

    # ---- g: handed over per second ----

    def handed_over(self):
        version = self.postfix_programs.version
        say(f"g: {self.scale.mails:,} mails accepted and handed to smtp-sink, beside Postfix {version}")
        rounds = {name: [] for name in ("postfix", *self.stores)}
        with Sink(self.postfix_programs, self.folder) as sink:
            for turn in range(self.rounds):
                names = list(rounds)
                for name in names[turn % len(names):] + names[:turn % len(names)]:
                    self.postgres.checkpoint()
                    one = self.by_postfix(sink) if name == "postfix" else self.by_eilbote(name, sink)
                    cpu = ", ".join(f"{who} {micros:.0f}" for who, micros in one["cpuMicrosPerMail"].items())
                    say(f"  {name}: {one['mailsPerSecond']:,.0f} mails/s; CPU µs per mail: {cpu}")
                    rounds[name].append(one)
        base = statistics.median(one["mailsPerSecond"] for one in rounds["postfix"])
        return [self.hand_over_figure(store, base, rounds) for store in self.stores]

    def by_postfix(self, sink):
        with Postfix(self.postfix_programs, self.folder / f"postfix_{next(self.serial)}", sink.port) as postfix:
            # Twice: Postfix starts as many processes as it needs, and ends those that have nothing to do.
            for mails in (self.scale.warm_up, self.scale.mails):
                cpu, sink_cpu, before = postfix.cpu_seconds(), sink.cpu_seconds(), sink.count()
                began = time.monotonic()
                load_cpu = postfix.submit(mails, SESSIONS, TEXT_BYTES)
                submitted = time.monotonic() - began
                sink.wait_for(before + mails, 120)
                seconds = time.monotonic() - began
            cpu, sink_cpu = postfix.cpu_seconds() - cpu, sink.cpu_seconds() - sink_cpu
        spent = {"postfix": cpu, "sink": sink_cpu, "load": load_cpu}
        return {"mailsPerSecond": round(mails / seconds, 1), "acceptsPerSecond": round(mails / submitted, 1),
                "cpuMicrosPerMail": {name: round(1e6 * one / mails, 1) for name, one in spent.items()},
                "coresBusy": round(sum(spent.values()) / seconds, 2)}

    def by_eilbote(self, store, sink):
        with self.smtp_server(store, sink.port) as server:
            before = sink.count()
            server.post_mails(connections=64, requests=self.scale.warm_up, text_bytes=TEXT_BYTES)
            sink.wait_for(before + self.scale.warm_up, 60)
            server.wait_until_sent(self.scale.warm_up, 60)
            sink_cpu, before = sink.cpu_seconds(), sink.count()
            with Watch(server, self.postgres) as watch:
                began = time.monotonic()
                load = server.post_mails(connections=64, requests=self.scale.mails, text_bytes=TEXT_BYTES)
                submitted = time.monotonic() - began
                sink.wait_for(before + load["accepted"], 120)
                seconds = time.monotonic() - began
            sink_cpu = sink.cpu_seconds() - sink_cpu
            server.wait_until_sent(self.scale.warm_up + load["accepted"], 60)
            twice = sink.count() - before - load["accepted"]
        self.discard(server)
        return self.round_of(load, watch, seconds, submitted, sink_cpu, twice)

    @staticmethod
    def round_of(load, watch, seconds, submitted, sink_cpu, twice):
        mails = load["accepted"]
        commits, exchanges = (watch.metrics[f"eilbote_{name}"] for name in ("intake_commits_total",
                                                                             "exchange_seconds_count"))
        return {"mailsPerSecond": round(mails / seconds, 1), "acceptsPerSecond": round(mails / submitted, 1),
                "errors": load["errors"], "handedOverTwice": twice,
                "batchMean": round(mails / max(commits, 1), 1),
                "commitMillisMean": round(1000 * watch.metrics["eilbote_intake_commit_seconds_sum"] / max(commits, 1), 2),
                "exchangeMean": round(mails / max(exchanges, 1), 1),
                "exchangeMillisMean": round(1000 * watch.metrics["eilbote_exchange_seconds_sum"] / max(exchanges, 1), 2),
                **resources(watch, mails, load["cpuSeconds"], sink=sink_cpu)}

    def hand_over_figure(self, store, base, rounds):
        own = rounds[store]
        rate = statistics.median(one["mailsPerSecond"] for one in own)
        middle = min(own, key=lambda one: abs(one["mailsPerSecond"] - rate))
        postfix = min(rounds["postfix"], key=lambda one: abs(one["mailsPerSecond"] - base))
        clean = not any(one["errors"] or one["handedOverTwice"] for one in own)
        costs = ", ".join(f"{who} {micros:.0f}" for who, micros in postfix["cpuMicrosPerMail"].items())
        # What busy neighbours disturb least: all processes together, sink and load included.
        cpu_ratio = sum(postfix["cpuMicrosPerMail"].values()) / sum(middle["cpuMicrosPerMail"].values())
        return figure("g", f"mails accepted and handed over/s on {store}, 2 KB ÷ Postfix", round(rate / base, 2),
                      TARGETS[store], clean and rate / base >= TARGETS[store], "ratio", store=store,
                      note=f"{rate:,.0f}/s ÷ {base:,.0f}/s; CPU per mail {cpu_ratio:.1f} times less; Postfix's CPU µs per mail:"
                           f" {costs}; rounds of the ledger:"
                           f" {middle['exchangeMean']} mails in {middle['exchangeMillisMean']} ms"
                           + ("" if clean else "; with errors or duplicates"),
                      cpuRatio=round(cpu_ratio, 2), middle=middle, rounds=own, postfix=rounds["postfix"])

    # ---- h: connections to a slow sink ----

    def slow_sink(self, store):
        say(f"h: a sink that takes {ANSWER_MILLIS} ms per answer, {CONNECTIONS} connections allowed, {store}")
        mails = self.scale.slow_mails
        with SlowSink(self.postfix_programs, self.folder, ANSWER_MILLIS) as slow, \
                self.smtp_server(store, slow.port, EILBOTE_SMTP_CONNECTIONS_MAX=str(CONNECTIONS)) as server:
            with Watch(server, self.postgres) as watch, ConnectionCount(slow.port, server) as seen:
                load = server.post_mails(connections=64, requests=mails, text_bytes=TEXT_BYTES)
                # Ten times what a hundred connections need.
                slow.sink.wait_for(load["accepted"], 60 + mails * ANSWERS_PER_MAIL * ANSWER_MILLIS / CONNECTIONS / 100)
            sink_cpu = slow.sink.cpu_seconds()
            server.wait_until_sent(load["accepted"], 30)
        self.discard(server)
        # While all connections are open, each carries a mail in four answers' time.
        rate, at_most = seen.middle_rate(mails), CONNECTIONS * 1000 / (ANSWERS_PER_MAIL * ANSWER_MILLIS)
        at_once = min(max(seen.sockets), max(seen.gauge))
        say(f"  {store}: {at_once:.0f} connections at once, {rate:,.0f} mails/s")
        return figure("h", f"connections used at once, {ANSWER_MILLIS} ms per answer, {store}", int(at_once), CONNECTIONS,
                      at_once >= CONNECTIONS, "count", store=store,
                      note=f"{max(seen.sockets)} sockets, the server's gauge says {max(seen.gauge):.0f}; {rate:,.0f} mails/s"
                           f" in the middle of the run, {CONNECTIONS} busy connections carry {at_most:.0f}",
                      mailsPerSecond=round(rate, 1), busyConnections=round(CONNECTIONS * rate / at_most, 1),
                      errors=load["errors"], middle=resources(watch, mails, load["cpuSeconds"], sink=sink_cpu))


class ConnectionCount:
    """Looks every 50 ms, beside the run: sockets to the port, the server's own gauge, mails sent."""

    def __init__(self, port, server):
        self.port, self.server, self.ended = port, server, threading.Event()
        self.sockets, self.gauge, self.sent = [], [], []
        self.thread = threading.Thread(target=self.look)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def look(self):
        while True:
            metrics = self.server.metrics()
            self.sockets.append(proc.connections_to(self.port))
            self.gauge.append(metrics.get("eilbote_smtp_connections", 0))
            self.sent.append((time.monotonic(), metrics["eilbote_messages_sent_total"]))
            if self.ended.wait(0.05):
                return

    def middle_rate(self, mails):
        """Mails per second between a fifth and four fifths of them."""
        middle = [one for one in self.sent if mails / 5 <= one[1] <= 4 * mails / 5]
        if len(middle) < 2:
            return 0.0
        return (middle[-1][1] - middle[0][1]) / (middle[-1][0] - middle[0][0])
