"""What the webhook figures are made of: a server that is handed jobs and pools over its API, and the slow endpoint."""
import http.client
import json
import subprocess
import sys
import time
from pathlib import Path

import proc
from parts import Server, Trouble
from sink import free_port, must_listen, stop

BATCH = 1000  # jobs in one request, the most the API takes
PAYLOAD = json.dumps({"order": "x" * 1000})


class WebhookServer(Server):
    def call(self, method, path, body=None):
        """The answer's JSON; anything but 2xx is a Trouble."""
        headers = {"Content-Type": "application/json"}
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        if answer.status // 100 != 2:
            raise Trouble(f"{method} {path} was answered with {answer.status}: {text[:500]}")
        return json.loads(text) if text else None

    def make_pool(self, code, **limits):
        self.call("POST", "/dispatch-pools", {"code": code, "name": code.capitalize(), **limits})

    def suspend(self, pool):
        self.call("POST", f"/dispatch-pools/{pool}/suspend")

    def activate(self, pool):
        self.call("POST", f"/dispatch-pools/{pool}/activate")

    def hand_in(self, count, url, pool, **fields):
        job = {"source": "bench", "code": "bench:drain", "targetUrl": url, "payload": PAYLOAD, "dispatchPoolId": pool,
               **fields}
        for first in range(0, count, BATCH):
            results = self.call("POST", "/dispatch-jobs/batch", [job] * min(BATCH, count - first))["results"]
            refused = [one for one in results if one["status"] != 201]
            if refused:
                raise Trouble(f"a job was refused: {json.dumps(refused[0])[:500]}")

    def delivered(self, pool):
        """Jobs of this pool that were delivered and settled."""
        return sum(value for name, value in self.samples() if name.startswith("eilbote_webhook_attempts_total{")
                   and 'outcome="delivered"' in name and f'pool="{pool}"' in name)

    def wait_until_delivered(self, count, pool, seconds):
        """Asks seldom while there is far to go, so that the asking costs nothing, and often near the end."""
        began, first = time.monotonic(), self.delivered(pool)
        now = first
        while now < count:
            time.sleep(self.pause(time.monotonic() - began, now - first, count - now))
            now = self.delivered(pool)
            if time.monotonic() - began > seconds:
                raise Trouble(f"only {now:.0f} of {count} jobs of the pool {pool} were delivered in {seconds} s")

    @staticmethod
    def pause(elapsed, done, left):
        """Half the time that is left by the speed so far, from 5 to 100 ms."""
        return min(max(0.5 * elapsed * left / done, 0.005), 0.1) if done > 0 else 0.01

    def threads(self):
        return proc.thread_count(self.pid)


class Endpoint:
    """endpoint.py in a process of its own."""

    def __init__(self, hold_seconds=0.0):
        self.port, self.hold_seconds = free_port(), hold_seconds

    def __enter__(self):
        program = Path(__file__).resolve().parent / "endpoint.py"
        self.process = subprocess.Popen([sys.executable, program, str(self.port), str(self.hold_seconds)])
        must_listen(self.port, self.process, "endpoint.py")
        return self

    def __exit__(self, *_):
        stop(self.process)

    def url(self, path, host="127.0.0.1"):
        return f"http://{host}:{self.port}/{path}"

    def ask(self, method, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path)
            return connection.getresponse().read()
        finally:
            connection.close()

    def seen(self):
        return json.loads(self.ask("GET", "/seen"))

    def release(self):
        self.ask("POST", "/release")

    def wait_for(self, what, count, seconds):
        """Until `seen()[what]` is that high."""
        end = time.monotonic() + seconds
        while (now := self.seen()[what]) < count:
            if time.monotonic() > end:
                raise Trouble(f"the endpoint has {now} of {count} ({what}) after {seconds} s")
            time.sleep(0.1)

    def cpu_seconds(self):
        return proc.cpu_seconds(self.process.pid)
