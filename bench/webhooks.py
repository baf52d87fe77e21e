"""The figures of ./dev bench webhooks: jobs delivered per second beside graphile-worker, and how little one pool or host
disturbs another. Figure i is here; the others have a file each."""
import statistics
import time
from dataclasses import dataclass

import dead_host
import isolation
import long_queue
import node_peer
import open_requests
import proc
from figures import Bench, cpu_per, figure, resources
from hooks import PAYLOAD, WebhookServer
from nginx import Nginx
from parts import Trouble, Watch, say

TARGETS = {"postgresql": 2.5, "sqlite": 3}


@dataclass(frozen=True)
class Scale:
    jobs: int            # of one drain
    warm_up: int
    seconds: int         # of load at a fixed rate
    waiting: int         # jobs in the suspended and in the saturated pool
    open_requests: int   # at once, to the slow endpoint
    fast_jobs: int       # beside them, and beside the dead host
    dead_jobs: int       # for the dead host
    long_jobs: int       # through one instance
    rounds: int
    quick: bool


SCALES = {"full": Scale(jobs=100_000, warm_up=5_000, seconds=10, waiting=20_000, open_requests=5_000, fast_jobs=40_000,
                        dead_jobs=100_000, long_jobs=1_000_000, rounds=5, quick=False),
          "quick": Scale(jobs=20_000, warm_up=2_000, seconds=4, waiting=5_000, open_requests=5_000, fast_jobs=10_000,
                         dead_jobs=20_000, long_jobs=100_000, rounds=3, quick=True),
          # To see that everything runs, in a minute; the figures mean nothing.
          "smoke": Scale(jobs=2_000, warm_up=500, seconds=1, waiting=500, open_requests=300, fast_jobs=1_000,
                         dead_jobs=1_000, long_jobs=2_000, rounds=1, quick=True)}


class WebhookBench(Bench):
    LETTERS = "ijkln"
    SERVER = WebhookServer
    nginx_folder = None  # set by bench/run

    def run(self, letters):
        with Nginx(self.nginx_folder, self.folder) as self.nginx:
            return self.figures(letters)

    def figures(self, letters):
        figures = []
        if "i" in letters:
            figures += self.drain()
        if "j" in letters:
            figures += isolation.figures(self)
        if "k" in letters:
            figures += open_requests.figures(self)
        if "l" in letters:
            figures += dead_host.figures(self)
        if "n" in letters:
            figures += long_queue.figures(self)
        return figures

    def take_turns(self, names):
        """Each name once per round, and nobody is always the first of it."""
        for turn in range(self.rounds):
            for name in names[turn % len(names):] + names[:turn % len(names)]:
                self.postgres.checkpoint()
                yield name

    def settled(self, database):
        """Before the clock runs: what filling the queue left to do for PostgreSQL is done, for everybody alike."""
        self.postgres.sql(database, "VACUUM (ANALYZE);")
        self.postgres.checkpoint()

    def ready_to_drain(self, server, pool):
        """The queue is full and its pool suspended: nothing may have gone out."""
        if server.environment["EILBOTE_STORE_URL"].startswith("postgresql"):
            self.settled(server.folder.name)
        return server.delivered(pool)

    def timed_drain(self, server, pool, jobs, seconds=300):
        """Seconds from the activation of a pool until `jobs` more are delivered and settled, with a Watch over it."""
        before = self.ready_to_drain(server, pool)
        with Watch(server, self.postgres) as watch:
            nginx_cpu, began = self.nginx.cpu_seconds(), time.monotonic()
            server.activate(pool)
            server.wait_until_delivered(before + jobs, pool, seconds)
            elapsed = time.monotonic() - began
            nginx_cpu = self.nginx.cpu_seconds() - nginx_cpu
        return elapsed, watch, nginx_cpu

    def warm_up(self, server, pool, url):
        """Connections are open and statements prepared when the clock runs; afterwards the pool is suspended."""
        before = server.delivered(pool)
        server.hand_in(self.scale.warm_up, url, pool)
        server.wait_until_delivered(before + self.scale.warm_up, pool, 120)
        server.suspend(pool)

    # ---- i: drain ----

    def drain(self):
        version = node_peer.version("graphile-worker")
        say(f"i: {self.scale.jobs:,} jobs to nginx {self.nginx.version}, beside graphile-worker {version}")
        rounds = {name: [] for name in ("graphile", *self.stores)}
        for name in self.take_turns(list(rounds)):
            one = self.by_graphile() if name == "graphile" else self.by_eilbote(name)
            cpu = ", ".join(f"{who} {micros:.0f}" for who, micros in one["cpuMicrosPerJob"].items())
            say(f"  {name}: {one['jobsPerSecond']:,.0f} jobs/s; CPU µs per job: {cpu}")
            rounds[name].append(one)
        base = statistics.median(one["jobsPerSecond"] for one in rounds["graphile"])
        return [self.drain_figure(store, base, rounds) for store in self.stores]

    def by_graphile(self):
        jobs, database = self.scale.jobs, f"graphile_{next(self.serial)}"
        self.postgres.create(database)
        with node_peer.NodePeer("graphile-worker", "drain_graphile.js", self.postgres.url(database), self.nginx.url(), PAYLOAD,
                                jobs, self.scale.warm_up) as worker:
            self.settled(database)
            taken, nginx_cpu = self.nginx.taken(), self.nginx.cpu_seconds()
            postgres_cpu = proc.family_cpu_seconds(self.postgres.pid)
            result = worker.drain()
            postgres_cpu = proc.family_cpu_seconds(self.postgres.pid) - postgres_cpu
            nginx_cpu = self.nginx.cpu_seconds() - nginx_cpu
            taken = self.nginx.taken() - taken
        self.postgres.drop(database)
        spent = {"worker": result["cpu"], "postgres": postgres_cpu, "nginx": nginx_cpu}
        return {"jobsPerSecond": round(jobs / result["seconds"], 1), "deliveredTwice": taken - jobs,
                "coresBusy": round(sum(spent.values()) / result["elapsed"], 2), **cpu_per("job", jobs, spent)}

    def by_eilbote(self, store):
        jobs, pool = self.scale.jobs, "drain"
        with self.fresh(store) as server:
            server.make_pool(pool, concurrency=1000)
            self.warm_up(server, pool, self.nginx.url())
            server.hand_in(jobs, self.nginx.url(), pool)
            if server.delivered(pool) != self.scale.warm_up:
                raise Trouble("a suspended pool delivered something")
            taken = self.nginx.taken()
            seconds, watch, nginx_cpu = self.timed_drain(server, pool, jobs)
            taken = self.nginx.taken() - taken
        self.discard(server)
        exchanges = max(watch.metrics["eilbote_exchange_seconds_count"], 1)
        return {"jobsPerSecond": round(jobs / seconds, 1), "deliveredTwice": taken - jobs,
                "exchangeMean": round(jobs / exchanges, 1),
                "exchangeMillisMean": round(1000 * watch.metrics["eilbote_exchange_seconds_sum"] / exchanges, 2),
                **resources(watch, jobs, of="job", nginx=nginx_cpu)}

    def drain_figure(self, store, base, rounds):
        own = rounds[store]
        rate = statistics.median(one["jobsPerSecond"] for one in own)
        middle = min(own, key=lambda one: abs(one["jobsPerSecond"] - rate))
        peer = min(rounds["graphile"], key=lambda one: abs(one["jobsPerSecond"] - base))
        clean = not any(one["deliveredTwice"] for one in own)
        costs = ", ".join(f"{who} {micros:.0f}" for who, micros in peer["cpuMicrosPerJob"].items())
        # What busy neighbours disturb least: all processes together, nginx included.
        cpu_ratio = sum(peer["cpuMicrosPerJob"].values()) / sum(middle["cpuMicrosPerJob"].values())
        return figure("i", f"jobs delivered/s on {store}, 1 KB ÷ graphile-worker", round(rate / base, 2), TARGETS[store],
                      clean and rate / base >= TARGETS[store], "ratio", store=store,
                      note=f"{rate:,.0f}/s ÷ {base:,.0f}/s; CPU per job {cpu_ratio:.1f} times less; graphile-worker's CPU"
                           f" µs per job: {costs}; rounds of the ledger: {middle['exchangeMean']} jobs in"
                           f" {middle['exchangeMillisMean']} ms" + ("" if clean else "; WITH DUPLICATES"),
                      cpuRatio=round(cpu_ratio, 2), middle=middle, rounds=own, graphile=rounds["graphile"])
