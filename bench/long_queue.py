"""Figure n: a long queue through one instance, and the speed of its last part beside that of its first."""
import time

from figures import figure
from parts import Trouble, say

POOL = "long"
SPEED = 0.9
STEP = 0.02  # seconds between two looks at the counter


def figures(bench):
    # On PostgreSQL, where history is long; SQLite's finished rows are measured by figure f of the engine.
    return [figure_on(bench, store) for store in bench.stores if store == "postgresql"]


def figure_on(bench, store):
    jobs, part = bench.scale.long_jobs, bench.scale.long_jobs // 10
    say(f"n: {jobs:,} jobs through one instance; the last {part:,} beside the first")
    with bench.fresh(store) as server:
        server.make_pool(POOL, concurrency=1000)
        bench.warm_up(server, POOL, bench.nginx.url())
        server.hand_in(jobs, bench.nginx.url(), POOL)
        start = bench.ready_to_drain(server, POOL)
        taken = bench.nginx.taken()
        server.activate(POOL)
        speeds = speeds_of_parts(server, start, part, jobs // part)
        taken = bench.nginx.taken() - taken
    bench.discard(server)
    first, last = speeds[0], speeds[-1]
    ratio = last / first
    return figure("n", f"jobs/s of the last {part:,} of {jobs:,} ÷ of the first, {store}", round(ratio, 2), SPEED,
                  taken == jobs and ratio >= SPEED, "ratio", store=store,
                  note=f"{last:,.0f}/s ÷ {first:,.0f}/s; by tenths: " + ", ".join(f"{one:,.0f}" for one in speeds)
                       + ("" if taken == jobs else f"; {taken - jobs} DELIVERED TWICE"),
                  speeds=speeds, deliveredTwice=taken - jobs)


def speeds_of_parts(server, start, part, count, seconds=900):
    """Jobs per second of each part in turn."""
    speeds, began, from_time, from_count = [], time.monotonic(), time.monotonic(), start
    while len(speeds) < count:
        time.sleep(STEP)
        now, done = time.monotonic(), server.delivered(POOL)
        if now - began > seconds:
            raise Trouble(f"only {done - start:.0f} jobs were delivered in {seconds} s")
        if done >= start + part * (len(speeds) + 1):
            speeds.append(round((done - from_count) / (now - from_time), 1))
            from_time, from_count = now, done
    return speeds
