"""Figure j: the time from handing a job in until its endpoint sees it, in one pool, while another pool is suspended with a
queue, saturated, or stuck at an endpoint that hangs; compared with the same load and nothing beside it."""
import json
import statistics
import subprocess
import sys
from pathlib import Path

from figures import figure, resources
from hooks import Endpoint
from parts import Trouble, Watch, say

RATE = 200
POOL = "measured"
HANG_SECONDS, BUSY_SECONDS = 30, 0.1
SATURATED_CONCURRENCY = 8
POOL_CONCURRENCY = 256  # of a pool that says nothing about it
FASTEST, OTHERS = "127.0.0.2", "127.0.0.1"  # two hosts


def nothing(bench, server, slow):
    pass


def suspended(bench, server, slow):
    server.make_pool("beside")
    server.suspend("beside")
    server.hand_in(bench.scale.waiting, slow.url("hold", OTHERS), "beside")


def saturated(bench, server, slow):
    server.make_pool("beside", concurrency=SATURATED_CONCURRENCY)
    server.hand_in(bench.scale.waiting, slow.url("hold", OTHERS), "beside")
    slow.wait_for("heldMax", SATURATED_CONCURRENCY, 30)


def hanging(bench, server, slow):
    server.make_pool("beside")
    server.hand_in(2 * POOL_CONCURRENCY, slow.url("hold", OTHERS), "beside", timeoutSeconds=2 * HANG_SECONDS)
    slow.wait_for("held", POOL_CONCURRENCY, 30)


# What goes on beside the measured pool: how it comes about, and how long its endpoint takes for an answer.
NEIGHBOURS = {"nothing": (nothing, 0), "a suspended pool": (suspended, BUSY_SECONDS),
              "a saturated pool": (saturated, BUSY_SECONDS), "an endpoint that hangs": (hanging, HANG_SECONDS)}


def figures(bench):
    say(f"j: from handing in to the endpoint at {RATE}/s, beside " + ", ".join(NEIGHBOURS))
    return [one for store in bench.stores for one in figures_on(bench, store)]


def figures_on(bench, store):
    rounds = {name: [] for name in NEIGHBOURS}
    for name in bench.take_turns(list(rounds)):
        one = latency(bench, store, *NEIGHBOURS[name])
        say(f"  {store}, beside {name}: p50 {one['p50']:.1f}, p99 {one['p99']:.1f}, max {one['max']:.1f} ms")
        rounds[name].append(one)
    base = statistics.median(one["p99"] for one in rounds["nothing"])
    return [latency_figure(store, name, base, rounds[name], rounds["nothing"]) for name in NEIGHBOURS if name != "nothing"]


def latency(bench, store, disturb, hold_seconds):
    with Endpoint() as fast, Endpoint(hold_seconds) as slow, bench.fresh(store) as server:
        server.make_pool(POOL)
        warm_up = load(server, fast, seconds=1)
        fast.wait_for("taken", warm_up["accepted"], 30)
        disturb(bench, server, slow)
        endpoints_cpu = fast.cpu_seconds() + slow.cpu_seconds()
        with Watch(server, bench.postgres) as watch:
            result = load(server, fast, bench.scale.seconds)
            fast.wait_for("taken", warm_up["accepted"] + result["accepted"], 30)
        endpoints_cpu = fast.cpu_seconds() + slow.cpu_seconds() - endpoints_cpu
        times = sorted(fast.seen()["latenciesMillis"][warm_up["accepted"]:])
        slow.release()  # or the server would wait for its answers before it stops
    bench.discard(server)
    return {"p50": quantile(times, 0.5), "p99": quantile(times, 0.99), "max": times[-1], "jobs": len(times),
            "errors": result["errors"], "generatorLateMillisMax": round(result["lateMillisMax"], 1),
            **resources(watch, len(times), result["cpuSeconds"], of="job", endpoints=endpoints_cpu)}


def load(server, endpoint, seconds):
    program = Path(__file__).resolve().parent / "hook_load.py"
    done = subprocess.run([sys.executable, program, str(server.port), POOL, endpoint.url("take", FASTEST), str(RATE),
                           str(seconds)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Trouble(f"hook_load.py: {done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout)


def quantile(ordered, part):
    return round(ordered[min(len(ordered) - 1, int(part * len(ordered)))], 2)


def latency_figure(store, name, base, rounds, alone):
    value = statistics.median(one["p99"] for one in rounds)
    middle = min(rounds, key=lambda one: abs(one["p99"] - value))
    target = round(1.2 * base + 5, 1)
    clean = not any(one["errors"] for one in rounds + alone)
    return figure("j", f"p99 to the endpoint at {RATE}/s beside {name}, {store}", round(value, 1), target,
                  clean and value <= target, "ms", store=store,
                  note=f"alone {base:.1f} ms, of which 1.2 times + 5 ms is the target; p50 {middle['p50']:.1f}, max"
                       f" {middle['max']:.1f}; open loop, from the scheduled time" + ("" if clean else "; WITH ERRORS"),
                  middle=middle, rounds=rounds, alone=alone)
