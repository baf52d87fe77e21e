"""graphile-worker (npm) as the peer of the webhook drain: bench/node/drain.js on a database of the bench's PostgreSQL."""
import json
import os
import subprocess
import time
from pathlib import Path

import proc
from parts import Trouble
from sink import stop

FOLDER = Path(__file__).resolve().parent / "node"


class GraphileWorker:
    """Started with its queue filled; `drain` lets it go. Ends with the `with`."""

    def __init__(self, postgres, database, url, payload, jobs, warm_up):
        self.jobs = jobs
        self.command = ["node", FOLDER / "drain.js", postgres.url(database), url, payload, str(jobs), str(warm_up)]
        # Nothing from outside sets it otherwise than drain.js does.
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "NODE_", "GRAPHILE_"))}
        self.environment = {**inherited, "NODE_ENV": "production"}

    @staticmethod
    def version():
        package = FOLDER / "node_modules/graphile-worker/package.json"
        if not package.exists():
            raise Trouble(f"no graphile-worker in {FOLDER}; ./dev bench webhooks fetches it")
        return json.loads(package.read_text())["version"]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        try:
            self.answer()
        except Trouble:
            stop(self.process)
            raise
        return self

    def __exit__(self, *_):
        stop(self.process)
        self.process.stdin.close()
        self.process.stdout.close()

    def drain(self):
        """Seconds from its first task to the commit of its last completion, and what it says of itself."""
        cpu, began = proc.cpu_seconds(self.process.pid), time.monotonic()
        print("go", file=self.process.stdin, flush=True)
        result = self.answer()
        if result["left"] or result["failed"]:
            raise Trouble(f"graphile-worker: {result['left']} jobs are left, {result['failed']} tries failed")
        return {**result, "cpu": proc.cpu_seconds(self.process.pid) - cpu, "elapsed": time.monotonic() - began}

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise Trouble("graphile-worker ended; what it said stands above")
        return json.loads(line)
