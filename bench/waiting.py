"""Figures B and C: a server with very many queued jobs. B: its memory while it delivers from them and takes more; C: how long it
takes from its start until it says that it is ready."""
import statistics
import time

import proc
from figures import figure
from hooks import PAYLOAD
from parts import say
from peers import POOL

MEMORY_MB, READY_SECONDS = 120, 0.5
RATE = 500


def figures(bench, letters):
    say(f"B, C: {bench.scale.queued:,} queued jobs")
    return [one for store in bench.stores for one in figures_on(bench, store, letters)]


def figures_on(bench, store, letters):
    server = bench.fresh(store)
    with server:
        server.make_pool(POOL)
        server.suspend(POOL)
        server.hand_in(1, bench.nginx.url(), POOL)
    bench.copy_job(server, bench.scale.queued, step_millis=1)
    figures = []
    if "C" in letters:
        figures.append(start_figure(bench, server, store))
    if "B" in letters:
        figures.append(memory_figure(bench, server, store))
    bench.discard(server)
    return figures


def start_figure(bench, server, store):
    """The pool stays suspended, so that every start finds the whole queue."""
    seconds = []
    for _ in range(bench.rounds):
        again = bench.server(store, server.folder.name)
        began = time.monotonic()
        with again:  # returns with its line on standard output
            seconds.append(round(time.monotonic() - began, 3))
    value = statistics.median(seconds)
    say(f"  {store}: ready after {value:.2f} s")
    return figure("C", f"start to ready with {bench.scale.queued:,} queued jobs, {store}", round(value, 2), READY_SECONDS,
                  value <= READY_SECONDS, "s", store=store, counts="start",
                  note=f"the starts: {', '.join(f'{one:.2f}' for one in seconds)} s; the file is in the page cache", starts=seconds)


def memory_figure(bench, server, store):
    again = bench.server(store, server.folder.name)
    with again:
        again.activate(POOL)
        with bench.job_file(again, bench.nginx.url(), PAYLOAD) as body:
            load = bench.post(again.port, "/dispatch-jobs", body, rate=RATE, seconds=bench.scale.seconds)
        delivered = again.delivered(POOL)
        now, highest = proc.memory_mb(again.pid)
    say(f"  {store}: {highest:.0f} MB at most, {delivered:,.0f} delivered")
    return figure("B", f"RSS with {bench.scale.queued:,} queued jobs, {store}", round(highest, 1), MEMORY_MB, highest <= MEMORY_MB,
                  "MB", store=store, note=f"highest ever (VmHWM), while it delivers from that queue ({delivered:,.0f} in"
                  f" {bench.scale.seconds} s) and takes {RATE}/s more", residentNow=round(now, 1), load=load)
