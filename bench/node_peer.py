"""A peer from npm that drains a queue: one of the drain_*.js in bench/node, in a process of its own. The Node.js that is pinned beside
them runs it where there is one for this machine, so that all of them have the same."""
import json
import os
import platform
import subprocess
import time
from pathlib import Path

import proc
from parts import Trouble
from sink import stop

FOLDER = Path(__file__).resolve().parent / "node"


def node():
    """The newest peer wants a newer Node.js than Debian has."""
    arch = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), "")
    pinned = FOLDER / f"node_modules/node-linux-{arch}/bin/node"
    return str(pinned) if pinned.exists() else "node"


def version(package):
    file = FOLDER / f"node_modules/{package}/package.json"
    if not file.exists():
        raise Trouble(f"no {package} in {FOLDER}; ./dev bench webhooks and ./dev bench peers fetch it")
    return json.loads(file.read_text())["version"]


class NodeProgram:
    """A program of bench/node that talks in lines of JSON; `__enter__` waits for the first. Ends with the `with`."""

    def __init__(self, name, program, *arguments):
        self.name = name
        self.command = [node(), FOLDER / program, *map(str, arguments)]
        # Nothing from outside sets it otherwise than its program does.
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "NODE_", "GRAPHILE_"))}
        self.environment = {**inherited, "NODE_ENV": "production"}

    def __enter__(self):
        self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.pid = self.process.pid
        try:
            self.first = self.answer()
        except Trouble:
            stop(self.process)
            raise
        return self

    def __exit__(self, *_):
        stop(self.process)
        self.process.stdin.close()
        self.process.stdout.close()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise Trouble(f"{self.name} ended; what it said stands above")
        return json.loads(line)


class NodePeer(NodeProgram):
    """Started with its queue filled; `drain` lets it go."""

    def __init__(self, name, program, store_url, url, payload, jobs, warm_up):
        super().__init__(name, program, store_url, url, payload, jobs, warm_up)

    def drain(self):
        """Seconds from its first task to the commit of its last completion, and what it says of itself."""
        cpu, began = proc.cpu_seconds(self.pid), time.monotonic()
        print("go", file=self.process.stdin, flush=True)
        result = self.answer()
        if result["left"] or result["failed"]:
            raise Trouble(f"{self.name}: {result['left']} jobs are left, {result['failed']} tries failed")
        return {**result, "cpu": proc.cpu_seconds(self.pid) - cpu, "elapsed": time.monotonic() - began}
