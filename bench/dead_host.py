"""Figure l: jobs for a living host behind a long queue for a dead one, in the same pool, and the same without it."""
import statistics

from figures import figure, resources
from nginx import NOBODY_LISTENS, OTHER_HOST
from parts import say

POOL = "both"
SPEED = 0.8


def figures(bench):
    say(f"l: {bench.scale.dead_jobs:,} due jobs for a host that refuses connections, and another host's in the same pool")
    return [figure_on(bench, store) for store in bench.stores]


def figure_on(bench, store):
    rounds = {"alone": [], "beside": []}
    for name in bench.take_turns(list(rounds)):
        one = living_jobs(bench, store, bench.scale.dead_jobs if name == "beside" else 0)
        say(f"  {store}, {one['dead']:,} for the dead host: {one['jobsPerSecond']:,.0f} jobs/s for the other")
        rounds[name].append(one)
    alone, beside = (statistics.median(one["jobsPerSecond"] for one in rounds[name]) for name in ("alone", "beside"))
    middle = min(rounds["beside"], key=lambda one: abs(one["jobsPerSecond"] - beside))
    return figure("l", f"jobs/s behind {bench.scale.dead_jobs:,} for a dead host ÷ without them, {store}",
                  round(beside / alone, 2), SPEED, beside / alone >= SPEED, "ratio", store=store,
                  note=f"{beside:,.0f}/s ÷ {alone:,.0f}/s; handed in behind them, in the same pool;"
                       f" {middle['deadAttempts']:,.0f} tries of the dead host meanwhile",
                  middle=middle, rounds=rounds["beside"], alone=rounds["alone"])


def living_jobs(bench, store, dead):
    """The dead host's jobs are older, so whoever takes the oldest first meets only them."""
    jobs, url = bench.scale.fast_jobs, bench.nginx.url(OTHER_HOST)
    with bench.fresh(store) as server:
        server.make_pool(POOL)
        bench.warm_up(server, POOL, url)
        server.hand_in(dead, bench.nginx.url(NOBODY_LISTENS), POOL)
        server.hand_in(jobs, url, POOL)
        seconds, watch, nginx_cpu = bench.timed_drain(server, POOL, jobs)
    bench.discard(server)
    attempts = watch.metrics["eilbote_webhook_attempts_total"]
    return {"jobsPerSecond": round(jobs / seconds, 1), "dead": dead, "deadAttempts": attempts - jobs,
            **resources(watch, jobs, of="job", nginx=nginx_cpu)}
