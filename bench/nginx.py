"""An nginx of our own that says 200 to every POST and counts them: unpacked, not installed, with its configuration in the
bench's folder. It listens on two addresses of the loopback interface, which are two hosts to whoever delivers."""
import http.client
import os
import re
import shlex
import subprocess
import time
from pathlib import Path

import proc
from parts import Trouble, run
from sink import free_port, must_listen, stop

HOST, OTHER_HOST = "127.0.0.1", "127.0.0.2"
NOBODY_LISTENS = "127.0.0.3"  # the loopback interface has it, but nginx is not there: connections are refused

# `return` answers without looking at the body, so that the endpoint costs as little as it can.
SETTINGS = """
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
events {{ worker_connections 16384; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 600s;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen {host}:{port} backlog=4096;
    listen {other_host}:{port} backlog=4096;
    location = /status {{ stub_status; }}
    location / {{ return 200; }}
  }}
}}
"""


class Nginx:
    def __init__(self, program_folder, folder):
        self.program = Path(program_folder).resolve() / "usr/sbin/nginx"
        if not self.program.exists():
            raise Trouble(f"no nginx in {program_folder}; ./dev bench webhooks fetches it")
        # It says its version on standard error.
        said = run(["sh", "-c", f"{shlex.quote(str(self.program))} -v 2>&1"])
        self.version = said.strip().rsplit("/", 1)[-1]
        self.folder, self.port, self.asked = Path(folder) / "nginx", free_port(), 0

    def __enter__(self):
        self.folder.mkdir()
        user = "user nobody nogroup;" if os.geteuid() == 0 else ""
        settings = self.folder / "nginx.conf"
        settings.write_text(SETTINGS.format(user=user, folder=self.folder, port=self.port, host=HOST,
                                            other_host=OTHER_HOST))
        self.process = subprocess.Popen([self.program, "-e", self.folder / "error.log", "-p", self.folder, "-c", settings],
                                        stdin=subprocess.DEVNULL)
        must_listen(self.port, self.process, "nginx")
        self.connection = http.client.HTTPConnection(HOST, self.port, timeout=30)
        return self

    def __exit__(self, *_):
        self.connection.close()
        stop(self.process)

    def url(self, host=HOST):
        return f"http://{host}:{self.port}/hook"

    def taken(self):
        """Requests answered so far, but for our own questions."""
        self.asked += 1
        self.connection.request("GET", "/status")
        text = self.connection.getresponse().read().decode()
        return int(re.search(r"^ *\d+ +\d+ +(\d+)", text, re.MULTILINE).group(1)) - self.asked

    def wait_for(self, count, seconds):
        """Until so many were answered. Asked a hundred times a second, which costs nothing beside thousands of jobs."""
        end = time.monotonic() + seconds
        while (now := self.taken()) < count:
            if time.monotonic() > end:
                raise Trouble(f"nginx has {now} of {count} requests after {seconds} s")
            time.sleep(0.01)

    def cpu_seconds(self):
        return proc.family_cpu_seconds(self.process.pid)
