"""Figures t and u: what a person at the console waits for, and what the consoles that stay open cost.

t: every request behind a screen, one after the other on one connection, with a long history in the store: the slowest of them by
its 95th percentile. u: the processor's share that ten open consoles take of the server, as the difference between a stretch of
time with them and one without, at a steady load."""
import http.client
import json
import statistics
import threading
import time

from parts import Trouble, Watch, say

STORE = "postgresql"
READ_MILLIS, CONSOLES, SHARE = 100, 10, 0.05
TIMES = 40  # each request
LOAD = 100  # mails a second beside the consoles


def figures(bench, figure, letters):
    if STORE not in bench.stores:
        return []
    found = []
    if "t" in letters:
        found.append(reads(bench, figure))
    if "u" in letters:
        found.append(consoles(bench, figure))
    return found


# ---- t ----

def reads(bench, figure):
    say(f"t: what the console reads, with {bench.scale.finished:,} finished mails, {STORE}")
    server = bench.fresh(STORE, EILBOTE_DISPATCH="continuous", EILBOTE_CAPTURE_FAULTS="by-address")
    with server:
        server.post_mails(requests=1, connections=1, text_bytes=64)
        server.wait_until_sent(1, 30)
    bench.copy_job(server, bench.scale.finished, step_millis=500)
    with bench.server(STORE, server.folder.name, EILBOTE_DISPATCH="continuous",
                      EILBOTE_CAPTURE_FAULTS="by-address") as running:
        fill(running)
        times = {path: timed(running, path) for path in paths(running)}
    bench.discard(server)
    slowest = max(times, key=lambda path: times[path]["p95"])
    for path, one in times.items():
        say(f"  p50 {one['p50']:6.1f}  p95 {one['p95']:6.1f} ms  {path}")
    value = times[slowest]["p95"]
    return figure("t", f"slowest read of the console, p95, {bench.scale.finished:,} finished mails, {STORE}", round(value, 1), READ_MILLIS,
                  value <= READ_MILLIS, "ms", store=STORE, note=f"GET {slowest}; {len(times)} reads, {TIMES} times each", reads=times)


def fill(server):
    """A few thousand of every kind on top of the history: sent, tried again, dead; with tags and recipients to search for."""
    kinds = ["ada{}@example.org", "ada{}+transient@example.org", "ada{}+permanent@example.org"]
    for batch in range(6):
        messages = [{"from": "shop@example.org", "to": [kinds[n % 3].format(batch * 1000 + n)], "subject": "An order", "body": {"text": "x"},
                     "tags": [f"tag{n % 50}"], "campaignId": f"campaign{n % 20}"} for n in range(1000)]
        ask(server, "POST", "/messages/batch", json.dumps({"messages": messages}))
    end = time.monotonic() + 60
    while not ask(server, "GET", "/messages?status=FAILED&limit=200")["nextCursor"]:
        if time.monotonic() > end:
            raise Trouble("the mails that are to fail did not")
        time.sleep(0.2)


def paths(server):
    """What the screens ask for, a page deep in the history included."""
    newest = ask(server, "GET", "/messages?limit=50")
    one = newest["data"][0]["messageId"]
    recipient = newest["data"][0]["details"]["recipients"][0]["address"].replace("+", "%2B")
    deep = newest["nextCursor"]
    for _ in range(150):  # beyond what was just filled in
        deep = ask(server, "GET", f"/messages?limit=200&cursor={deep}")["nextCursor"]
    states = ["QUEUED", "RETRY_PENDING", "SENT", "DELIVERED", "BOUNCED", "FAILED", "CANCELLED"]
    return (["/overview", "/queue", "/messages?limit=50", f"/messages?limit=50&cursor={deep}"]
            + [f"/messages?limit=50&status={state}" for state in states]
            + ["/messages?limit=50&deadReason=PermanentFailure", "/messages?limit=50&tag=tag7", "/messages?limit=50&campaignId=campaign3",
               f"/messages?limit=50&recipient={recipient}", f"/messages/{one}", f"/messages/{one}/attempts", f"/messages/{one}/events",
               f"/jobs/{one}/why", "/dispatch-jobs?limit=50", "/message-groups", "/dispatch-pools", "/breakers", "/audit?limit=50",
               "/suppressions?limit=50"])


def timed(server, path):
    taken = []
    for _ in range(TIMES):
        began = time.monotonic()
        ask(server, "GET", path)
        taken.append((time.monotonic() - began) * 1000)
    return {"p50": round(statistics.median(taken), 2), "p95": round(sorted(taken)[int(TIMES * 0.95) - 1], 2), "max": round(max(taken), 2)}


def ask(server, method, path, body=None):
    server.connection.request(method, path, body, {"Content-Type": "application/json"})
    response = server.connection.getresponse()
    text = response.read()
    if response.status >= 300:
        raise Trouble(f"{method} {path}: {response.status} {text[:300].decode(errors='replace')}")
    return json.loads(text)


# ---- u ----

def consoles(bench, figure):
    say(f"u: {CONSOLES} open consoles at {LOAD} mails/s, {STORE}")
    rounds = []
    for _ in range(bench.rounds):
        with bench.fresh(STORE, EILBOTE_DISPATCH="continuous") as server:
            server.post_mails(connections=4, rate=LOAD, seconds=2)
            without = share(bench, server)
            streams = [Stream(server.port) for _ in range(CONSOLES)]
            seen = share(bench, server)
            events = sum(stream.close() for stream in streams)
        bench.discard(server)
        cost = {part: round(seen[part] - without[part], 4) for part in seen}
        say(f"  server {cost['server'] * 100:.1f} %, postgres {cost['postgres'] * 100:.1f} % of a core; {events} events")
        rounds.append({**cost, "events": events})
    value = statistics.median(one["server"] for one in rounds)
    middle = min(rounds, key=lambda one: abs(one["server"] - value))
    return figure("u", f"share of a core that {CONSOLES} open consoles take of the server, {STORE}", round(value * 100, 1), SHARE * 100,
                  value <= SHARE, "%", store=STORE, note=f"PostgreSQL beside it {middle['postgres'] * 100:.1f} %; {middle['events']} events", rounds=rounds)


def share(bench, server):
    """Of a core, by server and PostgreSQL, while the load runs."""
    with Watch(server, bench.postgres) as watch:
        server.post_mails(connections=4, rate=LOAD, seconds=max(bench.scale.seconds, 5))
    return {"server": watch.server_cpu / watch.seconds, "postgres": watch.postgres_cpu / watch.seconds}


class Stream:
    """An open console: reads the overview's events as they come."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.connection.request("GET", "/overview/stream")
        self.socket = self.connection.sock  # the connection gives it away with an answer that has no end
        self.response = self.connection.getresponse()
        if self.response.status != 200:
            raise Trouble(f"GET /overview/stream: {self.response.status}")
        self.events = 0
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        try:
            for line in self.response:
                self.events += line.startswith(b"event:")
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass  # closed from here

    def close(self):
        self.socket.shutdown(2)
        self.thread.join(5)
        self.connection.close()
        return self.events
