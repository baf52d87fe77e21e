"""Figures r and s: the two promises of the definition of done that an application feels. 500 mails/s come in on PostgreSQL, in an
open loop, while they are delivered: how long a POST takes (200 ms), and how long a mail waits for its first attempt (60 s)."""
import statistics

from parts import Trouble, Watch, say

RATE = 500
POST_MILLIS, FIRST_ATTEMPT_MILLIS = 200, 60_000
STORE = "postgresql"

# From the row's own time to the start of its first attempt; both clocks are this machine's.
DELAYS = """
SELECT count(*), percentile_disc(0.5) WITHIN GROUP (ORDER BY millis), percentile_disc(0.9) WITHIN GROUP (ORDER BY millis),
       percentile_disc(0.99) WITHIN GROUP (ORDER BY millis), max(millis)
FROM (SELECT extract(epoch FROM min(attempts.attempted_at) - outbox.created_at) * 1000 AS millis
      FROM outbox JOIN attempts ON attempts.job_id = outbox.id GROUP BY outbox.id, outbox.created_at) AS first_attempts;
"""


def figures(bench, figure, resources):
    """`resources` as in figures.py: what a stretch of time cost."""
    if STORE not in bench.stores:
        return []
    say(f"r, s: POST and the first attempt at {RATE}/s, {STORE}")
    rounds = [measure(bench, resources) for _ in range(bench.rounds)]
    clean = not any(one["errors"] for one in rounds)
    return [one_figure(figure, "r", "p99 of POST at 500/s, while mails are delivered", POST_MILLIS, "latencyMillis", rounds, clean),
            one_figure(figure, "s", "p99 from acceptance to the first attempt at 500/s", FIRST_ATTEMPT_MILLIS, "firstAttemptMillis",
                       rounds, clean)]


def measure(bench, resources):
    bench.postgres.checkpoint()
    with bench.fresh(STORE, EILBOTE_DISPATCH="continuous") as server:
        warm_up = server.post_mails(connections=64, rate=RATE, seconds=1)
        with Watch(server, bench.postgres) as watch:
            load = server.post_mails(connections=64, rate=RATE, seconds=bench.scale.seconds, text_bytes=1024)
        mails = warm_up["accepted"] + load["accepted"]
        server.wait_until_sent(mails, 120)
    tried, *millis = bench.postgres.sql(server.folder.name, DELAYS)[0]
    bench.discard(server)
    if int(tried) != mails:
        raise Trouble(f"{tried} of {mails} mails have an attempt on record")
    load["firstAttemptMillis"] = dict(zip(("p50", "p90", "p99", "max"), map(float, millis)))
    load.update(resources(watch, load["accepted"], load["cpuSeconds"]))
    say(f"  {load['rate']:,.0f}/s; POST p99 {load['latencyMillis']['p99']:.1f} ms;"
        f" first attempt p99 {load['firstAttemptMillis']['p99']:.1f} ms")
    return load


def one_figure(figure, letter, name, target, what, rounds, clean):
    value = statistics.median(one[what]["p99"] for one in rounds)
    middle = min(rounds, key=lambda one: abs(one[what]["p99"] - value))
    times = middle[what]
    return figure(letter, f"{name}, {STORE}", round(value, 1), target, clean and value <= target, "ms", store=STORE,
                  note=f"p50 {times['p50']:.1f}, p90 {times['p90']:.1f}, max {times['max']:.1f}; open loop"
                       + ("" if clean else "; with errors"), middle=middle, rounds=rounds)
