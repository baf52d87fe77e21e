"""Where mails end: Postfix's own `smtp-sink`, which counts what it takes, and a place in front of it that makes it slow."""
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import proc
from parts import Trouble


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for_port(port, process, what, seconds=15):
    """Until somebody listens there."""
    end = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > end:
                raise Trouble(f"{what} does not listen on port {port}") from None
            time.sleep(0.05)


def stop(process):
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def must_listen(port, process, what):
    """Until it listens; one that does not is stopped."""
    try:
        wait_for_port(port, process, what)
    except Trouble:
        stop(process)
        raise


class Sink:
    """`smtp-sink -c`: throws mails away and prints a running count, which goes to a file in memory."""

    def __init__(self, postfix_programs, folder, port=None):
        self.programs = postfix_programs
        self.port = port or free_port()
        memory = Path("/dev/shm")
        self.counts = (memory if memory.is_dir() else Path(folder)) / f"eilbote-bench-sink-{os.getpid()}-{self.port}"

    def __enter__(self):
        # Not as root: it refuses, or wants to be told who to be.
        user = ["-u", "nobody"] if os.geteuid() == 0 else []
        with open(self.counts, "wb") as counts:
            self.process = subprocess.Popen(
                [self.programs.command("smtp-sink"), "-4", "-c", "-m", "1000", *user, f"127.0.0.1:{self.port}", "1000"],
                env=self.programs.environment, stdout=counts)
        self.pid = self.process.pid
        try:
            wait_for_port(self.port, self.process, "smtp-sink")
        except Trouble:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        stop(self.process)
        self.counts.unlink(missing_ok=True)

    def count(self):
        """Mails taken so far: the last number it printed."""
        with open(self.counts, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - 200))
            found = re.findall(rb"mesg=(\d+)\r", file.read())
        return int(found[-1]) if found else 0

    def wait_for(self, count, seconds):
        end = time.monotonic() + seconds
        while (now := self.count()) < count:
            if time.monotonic() > end:
                raise Trouble(f"the sink has {now} of {count} mails after {seconds} s more")
            time.sleep(0.005)

    def cpu_seconds(self):
        return proc.cpu_seconds(self.pid)


class SlowSink:
    """A sink behind slow_answers.py: smtp-sink itself can only wait for whole seconds."""

    def __init__(self, postfix_programs, folder, millis):
        self.sink, self.millis, self.port = Sink(postfix_programs, folder), millis, free_port()

    def __enter__(self):
        self.sink.__enter__()
        program = Path(__file__).resolve().parent / "slow_answers.py"
        self.process = subprocess.Popen(
            [sys.executable, program, str(self.port), str(self.sink.port), str(self.millis)])
        try:
            wait_for_port(self.port, self.process, "slow_answers.py")
        except Trouble:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        stop(self.process)
        self.sink.__exit__()
