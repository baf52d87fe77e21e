"""A RabbitMQ of our own: the tree that ./dev unpacks, one node in the bench's folder, on ports of the loopback interface."""
import os
import subprocess
from pathlib import Path

import proc
from parts import Trouble
from sink import free_port, stop, wait_for_port

USER, PASSWORD = "bench", "bench-password"

DEFINITIONS = """{"users":[{"name":"%s","password":"%s","tags":"administrator"}],"vhosts":[{"name":"/"}%s],
"permissions":[%s]}"""


class Rabbit:
    VHOSTS = 40  # a run each, so that no queue is found used

    def __init__(self, tree, folder):
        self.tree, self.folder = Path(tree).resolve(), Path(folder) / "rabbit"
        self.program = self.tree / "usr/lib/rabbitmq/bin/rabbitmq-server"
        if not self.program.exists():
            raise Trouble(f"no RabbitMQ in {tree}; ./dev bench broker fetches it")
        self.port, self.mapper_port, self.node_port, self.used = free_port(), free_port(), free_port(), 0

    def __enter__(self):
        self.folder.mkdir()
        names = [f"run{number}" for number in range(self.VHOSTS)]
        (self.folder / "definitions.json").write_text(DEFINITIONS % (
            USER, PASSWORD, "".join(f',{{"name":"{name}"}}' for name in names),
            ",".join(f'{{"user":"{USER}","vhost":"{name}","configure":".*","write":".*","read":".*"}}' for name in names)))
        (self.folder / "plugins").write_text("[].")
        (self.folder / "rabbitmq.conf").write_text(
            f"listeners.tcp.1 = 127.0.0.1:{self.port}\nload_definitions = {self.folder}/definitions.json\n"
            "disk_free_limit.absolute = 1MB\nlog.file.level = warning\n")
        self.log = open(self.folder / "node.log", "w")
        # In the foreground: the one that Erlang starts by itself would stay behind.
        self.mapper = subprocess.Popen([self.tree / "usr/bin/epmd", "-port", str(self.mapper_port), "-address", "127.0.0.1"])
        self.process = None
        try:
            wait_for_port(self.mapper_port, self.mapper, "epmd")
            self.process = subprocess.Popen([self.program], env=self.environment(), stdout=self.log, stderr=self.log,
                                            cwd=self.folder)
            wait_for_port(self.port, self.process, "RabbitMQ")
        except Trouble:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process is not None:
            stop(self.process)
        stop(self.mapper)
        self.log.close()

    def environment(self):
        return {**os.environ, "PATH": f"{self.tree}/usr/bin:{os.environ['PATH']}", "HOME": str(self.folder),
                "LC_ALL": "C.UTF-8", "ERL_EPMD_PORT": str(self.mapper_port), "RABBITMQ_NODENAME": "bench@localhost",
                "RABBITMQ_DIST_PORT": str(self.node_port), "RABBITMQ_MNESIA_BASE": f"{self.folder}/data",
                "RABBITMQ_LOG_BASE": f"{self.folder}/log", "RABBITMQ_PID_FILE": f"{self.folder}/pid",
                "RABBITMQ_GENERATED_CONFIG_DIR": f"{self.folder}/generated",
                "RABBITMQ_CONFIG_FILE": f"{self.folder}/rabbitmq.conf",
                "RABBITMQ_ADVANCED_CONFIG_FILE": f"{self.folder}/advanced.config",
                "RABBITMQ_CONF_ENV_FILE": f"{self.folder}/rabbitmq-env.conf",
                "RABBITMQ_ENABLED_PLUGINS_FILE": f"{self.folder}/plugins",
                # The script becomes the node instead of watching over it.
                "RABBITMQ_ALLOW_INPUT": "1",
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-noinput -start_epmd false -kernel inet_dist_use_interface {127,0,0,1}"}

    def fresh_url(self):
        """Of a virtual host that nobody used."""
        self.used += 1
        return f"amqp://{USER}:{PASSWORD}@127.0.0.1:{self.port}/run{self.used - 1}"

    def cpu_seconds(self):
        return proc.family_cpu_seconds(self.process.pid)
