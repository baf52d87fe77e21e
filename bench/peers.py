"""The figures of ./dev bench peers: webhooks beside job queues from npm, each at its best, on the same PostgreSQL or on Redis, to the same
nginx. v: a queue that waits; w: taken in and delivered at the same time; x: how long a job takes at a fixed rate."""
import contextlib
import json
import statistics
import time
from dataclasses import dataclass

import node_peer
import proc
from costs import Costs
from figures import figure
from hooks import PAYLOAD, Endpoint
from parts import say
from redis import Redis
from webhooks import WebhookBench

OURS, GRAPHILE = "eilbote", "graphile-worker"
AHEAD = {GRAPHILE: 3}  # the others: 1
AHEAD_AT_ONCE = 3.5
P99_MILLIS, P99_SHARE = 20, 0.5
RATE = 500
CONNECTIONS = 64
POOL = "peers"
DUE = "@" * 20  # eilbote_load --body-file
# The job takes a kilobyte with the time in it, as it does without.
TIMED_PAYLOAD = '{"due":%s,"order":"%s"}' % (DUE, "x" * 960)


@dataclass(frozen=True)
class Scale:
    jobs: int      # of one drain
    at_once: int   # taken in and delivered at the same time
    warm_up: int
    seconds: int   # of load at a fixed rate
    rounds: int
    quick: bool


SCALES = {"full": Scale(jobs=100_000, at_once=50_000, warm_up=5_000, seconds=10, rounds=5, quick=False),
          "quick": Scale(jobs=20_000, at_once=10_000, warm_up=2_000, seconds=4, rounds=3, quick=True),
          "smoke": Scale(jobs=2_000, at_once=1_000, warm_up=500, seconds=1, rounds=1, quick=True)}


class PeersBench(WebhookBench):
    LETTERS = "vwx"
    redis_folder = None  # set by bench/run

    def figures(self, letters):
        figures = []
        if "v" in letters:
            figures += self.drains()
        if "w" in letters:
            figures.append(self.at_once())
        if "x" in letters:
            figures.append(self.latency())
        return figures

    def compete(self, contestants):
        """{name: its rounds}, the contestants in turn."""
        rounds = {name: [] for name in contestants}
        for name in self.take_turns(list(contestants)):
            one = contestants[name]()
            say(f"  {name}: " + ", ".join(f"{key} {value}" for key, value in one.items() if value is not None and key != "walByRecord"))
            rounds[name].append(one)
        return rounds

    # ---- v: drain ----

    def drains(self):
        peers = {GRAPHILE: lambda: self.by_peer(GRAPHILE, "drain_graphile.js"),
                 "pg-boss": lambda: self.by_peer("pg-boss", "drain_pgboss.js"),
                 "bullmq": lambda: self.by_bullmq(synced=True),
                 "bullmq, not synced": lambda: self.by_bullmq(synced=False)}
        versions = ", ".join(f"{name} {node_peer.version(name)}" for name in (GRAPHILE, "pg-boss", "bullmq"))
        say(f"v: {self.scale.jobs:,} jobs to nginx {self.nginx.version}; {versions}, Redis {Redis.version(self.redis_folder)}")
        rounds = self.compete({OURS: self.by_us, **peers})
        base = [self.drain_figure(peer, rounds) for peer in peers]
        base[0]["contestants"] = rows_of(rounds)
        return base

    def drain_figure(self, peer, rounds):
        own, other = (statistics.median(one["perSecond"] for one in rounds[name]) for name in (OURS, peer))
        twice = sum(one["deliveredTwice"] for one in rounds[OURS])
        target = AHEAD.get(peer, 1)
        note = f"{own:,.0f}/s ÷ {other:,.0f}/s; median of {len(rounds[peer])}"
        if peer.endswith("not synced"):
            note += "; Redis as Debian sets it: what it acknowledged in the last minutes is gone with it"
        return figure("v", f"webhooks delivered/s on postgresql, 1 KB ÷ {peer}", round(own / other, 2), target,
                      not twice and own / other >= target, "ratio", own=rows_of(rounds)[OURS],
                      note=note + (f"; {twice} DELIVERED TWICE" if twice else ""), rounds=rounds[peer])

    def by_us(self, store="postgresql"):
        jobs = self.scale.jobs
        with self.fresh(store) as server:
            server.make_pool(POOL, concurrency=1000)
            self.warm_up(server, POOL, self.nginx.url())
            server.hand_in(jobs, self.nginx.url(), POOL)
            before, taken = self.ready_to_drain(server, POOL), self.nginx.taken()
            with self.costs(server=server.pid) as costs:
                began = time.monotonic()
                server.activate(POOL)
                server.wait_until_delivered(before + jobs, POOL, 300)
                seconds = time.monotonic() - began
            taken = self.nginx.taken() - taken
        self.discard(server)
        return {**costs.columns(jobs, seconds), "deliveredTwice": taken - jobs}

    def by_peer(self, name, program):
        with self.database("peer") as database:
            return self.by_node(name, program, self.postgres.url(database), lambda: self.settled(database))

    def by_bullmq(self, synced):
        with Redis(self.redis_folder, self.folder / f"redis_{next(self.serial)}", synced) as redis:
            row = self.by_node("bullmq", "drain_bullmq.js", redis.url(), lambda: None, redis=redis.pid)
            return {**row, "walBytes": None, "commits": None}  # PostgreSQL has no part in it

    def by_node(self, name, program, store_url, settle, **servers):
        jobs = self.scale.jobs
        with node_peer.NodePeer(name, program, store_url, self.nginx.url(), PAYLOAD, jobs, self.scale.warm_up) as peer:
            settle()
            taken = self.nginx.taken()
            with self.costs(worker=peer.pid, **servers) as costs:
                seconds = peer.drain()["seconds"]
            taken = self.nginx.taken() - taken
        return {**costs.columns(jobs, seconds), "deliveredTwice": taken - jobs}

    # ---- w: taken in and delivered at the same time ----

    def at_once(self):
        jobs = self.scale.at_once
        say(f"w: {jobs:,} jobs by {CONNECTIONS} connections, one per request, delivered at the same time")
        rounds = self.compete({OURS: self.at_once_by_us, GRAPHILE: self.at_once_by_graphile})
        own, other = (statistics.median(one["perSecond"] for one in rounds[name]) for name in (OURS, GRAPHILE))
        clean = not any(one["deliveredTwice"] or one["errors"] for one in rounds[OURS])
        return figure("w", f"webhooks accepted and delivered/s, one per request ÷ {GRAPHILE}", round(own / other, 2),
                      AHEAD_AT_ONCE, clean and own / other >= AHEAD_AT_ONCE, "ratio", own=rows_of(rounds)[OURS],
                      note=f"{own:,.0f}/s ÷ {other:,.0f}/s; from the first POST until the last job is at its endpoint"
                           + ("" if clean else "; WITH ERRORS OR DUPLICATES"), contestants=rows_of(rounds), rounds=rounds)

    def at_once_by_us(self):
        with self.taking_in_by_us(self.nginx.url(), PAYLOAD) as (server, body):
            return self.accept_and_deliver(server.port, "/dispatch-jobs", body, server=server.pid)

    def at_once_by_graphile(self):
        with self.taking_in_by_graphile(self.nginx.url(), PAYLOAD) as (front, worker, body):
            return self.accept_and_deliver(front.first["port"], "/", body, front=front.pid, worker=worker.pid)

    def accept_and_deliver(self, port, path, body, **pids):
        """The same for both; the memory of nginx and of the generator is none of theirs."""
        jobs, warm_up = self.scale.at_once, self.scale.warm_up
        # Before the warm-up, so that the pages it touches are not written whole in the time that counts.
        self.postgres.checkpoint()
        start = self.nginx.taken()
        self.post(port, path, body, requests=warm_up)
        self.nginx.wait_for(start + warm_up, 120)
        start = self.nginx.taken()
        with self.costs(**pids) as costs:
            began = time.monotonic()
            load = self.post(port, path, body, requests=jobs)
            taken_in = time.monotonic() - began
            self.nginx.wait_for(start + load["accepted"], 300)
            seconds = time.monotonic() - began
        costs.spent["load"] = load["cpuSeconds"]
        return {**costs.columns(jobs, seconds), "acceptsPerSecond": round(jobs / taken_in, 1), "errors": load["errors"],
                "acceptP99": load["latencyMillis"]["p99"], "deliveredTwice": self.nginx.taken() - start - jobs}

    # ---- x: from POST to the endpoint ----

    def latency(self):
        say(f"x: from POST to the endpoint at {RATE}/s")
        rounds = self.compete({OURS: self.latency_by_us, GRAPHILE: self.latency_by_graphile})
        own, other = (statistics.median(one["p99"] for one in rounds[name]) for name in (OURS, GRAPHILE))
        clean = not any(one["errors"] for one in rounds[OURS])
        target = round(min(P99_MILLIS, P99_SHARE * other), 1)
        return figure("x", f"p99 from POST to the endpoint at {RATE}/s, postgresql", own, target, clean and own <= target, "ms",
                      own=rows_of(rounds, by="p99")[OURS], note=f"{GRAPHILE} {other:.1f} ms; the target is"
                      f" {P99_MILLIS} ms and {P99_SHARE} of that; open loop, from the moment a POST was due"
                      + ("" if clean else "; WITH ERRORS"),
                      contestants=rows_of(rounds, by="p99"), rounds=rounds)

    def latency_by_us(self):
        with Endpoint() as endpoint, self.taking_in_by_us(endpoint.url("take"), TIMED_PAYLOAD) as (server, body):
            return self.at_a_rate(endpoint, server.port, "/dispatch-jobs", body, server=server.pid)

    def latency_by_graphile(self):
        with Endpoint() as endpoint, self.taking_in_by_graphile(endpoint.url("take"), TIMED_PAYLOAD) as (front, worker, body):
            return self.at_a_rate(endpoint, front.first["port"], "/", body, front=front.pid, worker=worker.pid)

    def at_a_rate(self, endpoint, port, path, body, **pids):
        warm_up = self.post(port, path, body, rate=RATE, seconds=1)["accepted"]
        endpoint.wait_for("taken", warm_up, 60)
        with self.costs(endpoint=endpoint.process.pid, **pids) as costs:
            load = self.post(port, path, body, rate=RATE, seconds=self.scale.seconds)
            endpoint.wait_for("taken", warm_up + load["accepted"], 60)
        costs.spent["load"] = load["cpuSeconds"]
        times = sorted(endpoint.seen()["latenciesMillis"][warm_up:])
        return {**costs.columns(len(times), times=times), "perSecond": load["rate"], "acceptP99": load["latencyMillis"]["p99"],
                "errors": load["errors"]}

    # ---- what they are made of ----

    @contextlib.contextmanager
    def database(self, name):
        database = f"{name}_{next(self.serial)}"
        self.postgres.create(database)
        yield database
        self.postgres.drop(database)

    @contextlib.contextmanager
    def taking_in_by_us(self, url, payload):
        with self.fresh("postgresql") as server:
            server.make_pool(POOL, concurrency=1000)
            with self.job_file(server, url, payload) as body:
                yield server, body
        self.discard(server)

    @contextlib.contextmanager
    def job_file(self, server, url, payload):
        """What the load generator sends."""
        body = server.folder / "body.json"
        job = {"source": "bench", "code": "bench:peers", "targetUrl": url, "payload": payload, "dispatchPoolId": POOL}
        body.write_text(json.dumps(job))
        yield body
        body.unlink()

    @contextlib.contextmanager
    def taking_in_by_graphile(self, url, payload):
        with self.database("graphile") as database:
            store = self.postgres.url(database)
            body = self.folder / f"{database}.json"
            body.write_text(json.dumps({"payload": payload}))
            with node_peer.NodeProgram(GRAPHILE, "accept_graphile.js", store) as front, \
                    node_peer.NodeProgram(GRAPHILE, "work_graphile.js", store, url) as worker:
                yield front, worker, body

    def costs(self, **pids):
        """CPU of these, of PostgreSQL and nginx; memory of the contestant's own."""
        cpu = {name: (lambda pid=pid: proc.cpu_seconds(pid)) for name, pid in pids.items()}
        cpu["postgres"] = lambda: proc.family_cpu_seconds(self.postgres.pid)
        cpu["nginx"] = self.nginx.cpu_seconds
        return Costs(self.postgres, cpu, [pid for name, pid in pids.items() if name != "endpoint"])

    def post(self, port, path, body, **options):
        return self.programs.post(port, path=path, body_file=body, connections=CONNECTIONS, **options)


def rows_of(rounds, by="perSecond"):
    """The middle round of each contestant, for the table."""
    def middle(all_of_it):
        value = statistics.median(one[by] for one in all_of_it)
        return min(all_of_it, key=lambda one: abs(one[by] - value))

    return {name: middle(all_of_it) for name, all_of_it in rounds.items()}
