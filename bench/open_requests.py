"""Figure k: thousands of requests open at once to an endpoint that answers after half a minute. What the server needs for
them (memory, threads), and how fast jobs for another host go out meanwhile."""
import resource
import statistics

import proc
from figures import figure, resources
from hooks import Endpoint
from nginx import OTHER_HOST
from parts import Trouble, say

HOLD_SECONDS = 30
MEMORY_MB = 200
SPEED = 0.6
THREADS = 32  # what "few" means
REQUESTS_MAX = 6000  # of the pool and of the host, above what is asked for
FILES = 2 * REQUESTS_MAX


def figures(bench):
    say(f"k: {bench.scale.open_requests:,} requests open to an endpoint that takes {HOLD_SECONDS} s, beside another host")
    allow_files()
    return [one for store in bench.stores for one in figures_on(bench, store)]


def allow_files():
    """The programs started from here inherit the limit: each open request is a file at both ends."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < FILES:
        raise Trouble(f"k needs {FILES} open files, and the limit is {most} (ulimit -Hn)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, most))


def figures_on(bench, store):
    rounds = {"alone": [], "beside": []}
    for name in bench.take_turns(list(rounds)):
        one = fast_jobs(bench, store, bench.scale.open_requests if name == "beside" else 0)
        say(f"  {store}, {one['open']:,} open: {one['jobsPerSecond']:,.0f} fast jobs/s, {one['memoryMb']:.0f} MB,"
            f" {one['threads']} threads")
        rounds[name].append(one)
    return [speed_figure(bench, store, rounds), memory_figure(bench, store, rounds), thread_figure(bench, store, rounds)]


def fast_jobs(bench, store, open_requests):
    """Drains one pool while another keeps so many requests open."""
    jobs, fast_url = bench.scale.fast_jobs, bench.nginx.url(OTHER_HOST)
    with Endpoint(HOLD_SECONDS) as slow, \
            bench.fresh(store, EILBOTE_WEBHOOK_REQUESTS_PER_HOST_MAX=str(REQUESTS_MAX)) as server:
        server.make_pool("fast")
        server.make_pool("slow", concurrency=REQUESTS_MAX)
        bench.warm_up(server, "fast", fast_url)
        server.hand_in(jobs, fast_url, "fast")
        if open_requests:
            server.hand_in(open_requests, slow.url("hold"), "slow", timeoutSeconds=4 * HOLD_SECONDS)
            slow.wait_for("heldMax", open_requests, HOLD_SECONDS)
        seconds, watch, nginx_cpu = bench.timed_drain(server, "fast", jobs)
        still_open, threads = slow.seen()["held"], server.threads()
        slow.release()
        server.wait_until_delivered(open_requests, "slow", 60)
        _, highest = proc.memory_mb(server.pid)
    bench.discard(server)
    return {"jobsPerSecond": round(jobs / seconds, 1), "open": still_open, "threads": threads,
            "memoryMb": round(highest, 1), **resources(watch, jobs, of="job", nginx=nginx_cpu)}


def speed_figure(bench, store, rounds):
    alone, beside = (statistics.median(one["jobsPerSecond"] for one in rounds[name]) for name in ("alone", "beside"))
    middle = min(rounds["beside"], key=lambda one: abs(one["jobsPerSecond"] - beside))
    # A request that was answered before the fast jobs were done was no neighbour to all of them.
    least = min(one["open"] for one in rounds["beside"])
    clean = least >= bench.scale.open_requests
    return figure("k", f"jobs/s to another host beside {bench.scale.open_requests:,} open requests ÷ alone, {store}",
                  round(beside / alone, 2), SPEED, clean and beside / alone >= SPEED, "ratio", store=store,
                  note=f"{beside:,.0f}/s ÷ {alone:,.0f}/s; {least:,} were open to the end"
                       + ("" if clean else ": TOO FEW, the run took too long"),
                  middle=middle, rounds=rounds["beside"], alone=rounds["alone"])


def memory_figure(bench, store, rounds):
    highest = max(one["memoryMb"] for one in rounds["beside"])
    alone = max(one["memoryMb"] for one in rounds["alone"])
    return figure("k", f"RSS with {bench.scale.open_requests:,} open requests, {store}", highest, MEMORY_MB,
                  highest < MEMORY_MB, "MB", store=store,
                  note=f"highest ever (VmHWM), the other host's jobs and all answers included; without: {alone:.0f} MB")


def thread_figure(bench, store, rounds):
    alone, beside = (max(one["threads"] for one in rounds[name]) for name in ("alone", "beside"))
    return figure("k", f"threads more with {bench.scale.open_requests:,} open requests, {store}", beside - alone, 0,
                  beside <= alone and beside <= THREADS, "threads", store=store,
                  note=f"{beside} with them, {alone} without; more than {THREADS} would be too many either way",
                  counts="threads")
