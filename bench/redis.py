"""A Redis of our own, for bullmq: the tree that ./dev unpacks, in the bench's folder, on a port of the loopback interface. Debian's own
settings, or with every write synced before it is answered, which is what PostgreSQL and Eilbote promise."""
import subprocess
from pathlib import Path

from parts import Trouble, run
from sink import free_port, must_listen, stop

OURS = """bind 127.0.0.1
port {port}
daemonize no
dir {folder}
logfile {folder}/redis.log
pidfile {folder}/redis.pid"""
SYNCED = ["appendonly yes", "appendfsync always"]


class Redis:
    def __init__(self, tree, folder, synced):
        # redis-tools has the program; it is a server when it is called one.
        self.program = Path(tree).resolve().parent / "redis-tools/usr/bin/redis-check-rdb"
        self.settings = Path(tree).resolve() / "etc/redis/redis.conf"
        if not self.program.exists() or not self.settings.exists():
            raise Trouble(f"no Redis in {tree}; ./dev bench peers fetches it")
        self.folder, self.synced = Path(folder), synced
        self.port = free_port()

    @staticmethod
    def version(tree):
        program = Path(tree).resolve().parent / "redis-tools/usr/bin/redis-check-rdb"
        return run(["redis-server", "--version"], executable=program).split("v=", 1)[1].split()[0]

    def __enter__(self):
        self.folder.mkdir()
        settings = self.folder / "redis.conf"
        # Debian's file first: what is said again after it counts, but for its folder, which must be there.
        debians = [line for line in self.settings.read_text().splitlines() if not line.startswith("dir ")]
        settings.write_text("\n".join(debians + OURS.format(folder=self.folder, port=self.port).splitlines()
                                      + (SYNCED if self.synced else [])) + "\n")
        self.process = subprocess.Popen(["redis-server", settings], executable=self.program, cwd=self.folder,
                                        stdin=subprocess.DEVNULL)
        self.pid = self.process.pid
        must_listen(self.port, self.process, "Redis")
        return self

    def __exit__(self, *_):
        stop(self.process)

    def url(self):
        return f"redis://127.0.0.1:{self.port}"
