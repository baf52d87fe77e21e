"""The programs a measurement is made of: PostgreSQL, Eilbote, the load generator, pgbench. Each is started by the bench
in a temporary folder and ends with it."""
import glob
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import proc


class Trouble(Exception):
    """Something did not run; the text says what."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command, **options):
    """The output of a command; its complaints become a Trouble."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    if done.returncode != 0:
        raise Trouble(f"{' '.join(map(str, command[:6]))} failed ({done.returncode}): {done.stderr.strip()[-2000:]}")
    return done.stdout


class Programs:
    """Where the built programs are."""

    def __init__(self, build):
        self.eilbote = build / "eilbote"
        self.load = build / "eilbote_load"
        self.curl_loop = build / "eilbote_curl_loop"
        self.count_syncs = build / "eilbote_count_syncs.so"
        for program in (self.eilbote, self.load, self.curl_loop, self.count_syncs):
            if not program.exists():
                raise Trouble(f"{program} is not there; ./dev bench builds it")

    def post(self, port, **options):
        """One run of the load generator; options are its own (`text_bytes=64` is --text-bytes 64)."""
        command = [self.load, "--port", str(port)]
        for name, value in options.items():
            command += [f"--{name.replace('_', '-')}", str(value)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, 2):
            raise Trouble(f"eilbote_load: {done.stderr.strip()}")
        result = json.loads(done.stdout)
        if result["errors"]:
            say(f"    errors: {result['errors']}")
        return result


class Postgres:
    """A PostgreSQL of our own: default settings (fsync on) but for its port and socket. Not as root: as user postgres."""

    PORT = 5432  # of the socket's name only; it does not listen on TCP

    def __init__(self, folder):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
        if not found:
            raise Trouble("no PostgreSQL server in /usr/lib/postgresql")
        self.bin = Path(found[-1])
        self.version = run([self.bin / "postgres", "--version"]).strip()
        self.data = folder / "postgres"
        self.socket = folder / "socket"
        self.log = folder / "postgres.log"
        self.as_user = []
        for path in (self.data, self.socket):
            path.mkdir()
        if os.geteuid() == 0:
            self.as_user = ["runuser", "-u", "postgres", "--"]
            self.log.touch()
            for path in (self.data, self.socket, self.log):
                shutil.chown(path, "postgres", "postgres")

    def __enter__(self):
        run([*self.as_user, self.bin / "initdb", "-D", self.data, "-A", "trust", "-U", "postgres", "-N"], cwd="/")
        self.start()
        return self

    def start(self):
        settings = f"-c listen_addresses='' -c port={self.PORT} -c unix_socket_directories={self.socket}"
        run([*self.as_user, self.bin / "pg_ctl", "-D", self.data, "-w", "-s", "-l", self.log, "-o", settings, "start"],
            cwd="/", start_new_session=True)
        self.pid = int((self.data / "postmaster.pid").read_text().split()[0])

    def crash(self):
        """Ends without a word, what was not on the disk is lost with its memory; starts again from its log."""
        self.stop()
        self.start()

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        subprocess.run([*self.as_user, self.bin / "pg_ctl", "-D", self.data, "-w", "-s", "-m", "immediate", "stop"],
                       cwd="/", check=False)

    def url(self, database):
        return f"postgresql:///{database}?host={self.socket}&port={self.PORT}&user=postgres"

    def sql(self, database, text):
        """Runs statements; the rows of the last one as lists of texts."""
        out = run([self.bin / "psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d",
                   self.url(database), "-f", "-"], input=text)
        return [line.split("\t") for line in out.splitlines()]

    def create(self, database):
        self.drop(database)
        self.sql("postgres", f"CREATE DATABASE {database};")

    def drop(self, database):
        self.sql("postgres", f"DROP DATABASE IF EXISTS {database} WITH (FORCE);")

    def checkpoint(self):
        """So that one contestant's dirty pages are not written in another's time."""
        self.sql("postgres", "CHECKPOINT;")

    def pgbench(self, database, script, seconds):
        """Transactions per second of `pgbench -M simple -c 32 -j 2`."""
        out = run([self.bin / "pgbench", "-n", "-M", "simple", "-c", "32", "-j", "2", "-T", str(seconds), "-f", script,
                   "-h", self.socket, "-p", str(self.PORT), "-U", "postgres", database])
        return float(re.search(r"tps = ([0-9.]+)", out).group(1))


class Server:
    """`eilbote serve` on a free port of the loopback interface."""

    def __init__(self, programs, store_url, folder, **settings):
        self.programs = programs
        self.folder = folder
        self.captured = folder / "captured"
        folder.mkdir(exist_ok=True)
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("EILBOTE_", "DISPATCH_"))}
        self.environment = {**inherited, "EILBOTE_LISTEN": "127.0.0.1:0", "EILBOTE_DATA_DIR": str(folder),
                            "EILBOTE_STORE_URL": store_url, "EILBOTE_OUTBOUND_ALLOW": "127.0.0.0/8", **settings}

    def migrate(self):
        run([self.programs.eilbote, "migrate"], env=self.environment)
        return self

    def __enter__(self):
        self.log = open(self.folder / "server.log", "a")
        self.process = subprocess.Popen([self.programs.eilbote, "serve"], env=self.environment, stdout=subprocess.PIPE,
                                        stderr=self.log, text=True)
        line = self.process.stdout.readline()
        found = re.match(r"eilbote ready on http://(.+):(\d+)", line)
        if not found:
            self.process.kill()
            raise Trouble(f"eilbote did not start: {line.strip()}\n{(self.folder / 'server.log').read_text()[-2000:]}")
        self.port = int(found.group(2))
        self.pid = self.process.pid
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        return self

    def __exit__(self, kind, *_):
        self.connection.close()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.log.close()
        if code != 0 and kind is None:
            raise Trouble(f"eilbote ended with {code}: {(self.folder / 'server.log').read_text()[-2000:]}")

    def samples(self):
        """What /metrics says, as (name with its labels, value)."""
        self.connection.request("GET", "/metrics")
        lines = self.connection.getresponse().read().decode().splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if line and not line.startswith("#"))
        return [(name, float(value)) for name, value in pairs]

    def metrics(self):
        """All samples by name, labels summed up."""
        totals = {}
        for name, value in self.samples():
            name = name.split("{", 1)[0]
            totals[name] = totals.get(name, 0.0) + value
        return totals

    def post_mails(self, **options):
        return self.programs.post(self.port, **options)

    def wait_until_sent(self, count, seconds):
        """Waits until the server has sent `count` mails; the samples (time, sent) seen on the way."""
        samples, end = [], time.monotonic() + seconds
        while True:
            samples.append((time.monotonic(), self.metrics()["eilbote_messages_sent_total"]))
            if samples[-1][1] >= count:
                return samples
            if time.monotonic() > end:
                raise Trouble(f"only {samples[-1][1]:.0f} of {count} mails were sent in {seconds} s")
            time.sleep(0.05)


class Watch:
    """CPU seconds of the server (by thread) and of PostgreSQL, and the server's metrics, over a stretch of time."""

    def __init__(self, server, postgres):
        self.server, self.postgres = server, postgres

    def __enter__(self):
        self.before = self.look()
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            after = self.look()
            self.seconds = after["at"] - self.before["at"]
            self.server_cpu = after["server"] - self.before["server"]
            self.postgres_cpu = after["postgres"] - self.before["postgres"]
            self.threads = {name: cpu - self.before["threads"].get(name, 0) for name, cpu in after["threads"].items()}
            self.metrics = {name: value - self.before["metrics"].get(name, 0)
                            for name, value in after["metrics"].items()}

    def look(self):
        return {"at": time.monotonic(), "server": proc.cpu_seconds(self.server.pid),
                "threads": proc.thread_cpu_seconds(self.server.pid),
                "postgres": proc.family_cpu_seconds(self.postgres.pid), "metrics": self.server.metrics()}
