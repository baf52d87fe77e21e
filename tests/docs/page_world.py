"""What the commands of one page find around them: a network of its own, where every default port is free, and in it the
servers that the page asks for. Whatever they start ends with the page.
"""
import contextlib
import ctypes
import fcntl
import glob
import http.server
import os
import pwd
import shutil
import signal
import socket
import socketserver
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
PR_SET_PDEATHSIG = 1
PATIENCE = 30.0
POSTGRES_URL = "postgresql://mailer@localhost/outbox"


def die_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def in_own_network(run):
    """Calls `run` in a process with a network of its own (a loopback, nothing else) and returns the exit code that it returns.
    What `run` starts, in the background too, ends with it: it is the first process of a PID namespace. OSError where the
    system does not allow that."""
    user, group = os.getuid(), os.getgid()
    flags = CLONE_NEWNET | CLONE_NEWPID | (CLONE_NEWUSER if user != 0 else 0)
    if LIBC.unshare(flags) != 0:
        raise OSError(ctypes.get_errno(), "unshare: " + os.strerror(ctypes.get_errno()))
    if user != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    with socket.socket() as any_socket:  # the loopback is there, and down
        request = struct.pack("16sh", b"lo", 0x1)  # IFF_UP
        fcntl.ioctl(any_socket, 0x8914, request.ljust(40, b"\0"))  # SIOCSIFFLAGS
    child = os.fork()
    if child == 0:
        die_with_parent()
        code = 1
        try:
            code = run()
        except Exception:
            traceback.print_exc(file=sys.stdout)
        finally:
            sys.stdout.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def eventually(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"{what}: not within {PATIENCE:.0f} s")
        time.sleep(0.02)


class Hook(http.server.BaseHTTPRequestHandler):
    """An endpoint for webhooks: 200, or the number that the path ends in (/status/410)."""
    protocol_version = "HTTP/1.1"

    def do_POST(self):  # noqa: N802 (the library's name)
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        last = self.path.rsplit("/", 1)[-1]
        self.send_response(int(last) if last.isdigit() else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Relay(socketserver.StreamRequestHandler):
    """An SMTP server that takes everything and keeps nothing, as a catcher for developers does."""

    def handle(self):
        self.wfile.write(b"220 relay.example.org ESMTP\r\n")
        while line := self.rfile.readline():
            verb = line[:4].upper()
            if verb == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                while self.rfile.readline() not in (b".\r\n", b""):
                    pass
                self.wfile.write(b"250 2.0.0 Ok: queued as 4DOC1\r\n")
            elif verb == b"QUIT":
                self.wfile.write(b"221 bye\r\n")
                return
            else:
                self.wfile.write(b"250 ok\r\n")


@contextlib.contextmanager
def serving(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


class ThreadingTcp(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads = True, True


def postgres_program(name):
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=lambda path: int(path.split("/")[4]))
    return found[-1] if found else shutil.which(name) or name


def as_owner(command):
    """PostgreSQL refuses to run as root."""
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", *command] if os.getuid() == 0 else command


@contextlib.contextmanager
def folder_of_postgres():
    folder = tempfile.mkdtemp(prefix="eilbote-docs-postgres-")
    try:
        if os.getuid() == 0:
            os.chown(folder, pwd.getpwnam("postgres").pw_uid, pwd.getpwnam("postgres").pw_gid)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def empty_cluster():
    """What initdb makes, with the user `mailer`; the pages that want PostgreSQL have copies of it."""
    with folder_of_postgres() as folder:
        subprocess.run(as_owner([postgres_program("initdb"), "--no-sync", "--auth=trust", "--encoding=UTF8",
                                 "--locale=C.UTF-8", "--username=mailer", "-D", folder + "/data"]),
                       check=True, stdout=subprocess.DEVNULL, cwd=folder)
        yield folder + "/data"


@contextlib.contextmanager
def postgres(cluster, environment):
    """A copy of the cluster on the default port, with the empty database `outbox`, as POSTGRES_URL has it."""
    with folder_of_postgres() as folder:
        subprocess.run(["cp", "-a", cluster, folder + "/data"], check=True)
        quiet = {"stdout": subprocess.DEVNULL, "cwd": folder, "env": environment}
        with open(folder + "/log", "wb") as log:
            process = subprocess.Popen(as_owner([
                postgres_program("postgres"), "-D", folder + "/data", "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off",
                "-c", "unix_socket_directories="]), stderr=log, **quiet)
        server = ["psql", "-q", "-d", "postgresql://mailer@127.0.0.1/postgres"]
        try:
            eventually(lambda: subprocess.run([*server, "-c", "SELECT 1"], stderr=subprocess.DEVNULL, **quiet).returncode == 0,
                       "PostgreSQL")
            subprocess.run([*server, "-c", "CREATE DATABASE outbox"], check=True, **quiet)
            yield
        finally:
            process.send_signal(signal.SIGINT)  # a fast shutdown: sessions are ended, not waited for
            process.wait(PATIENCE)


@contextlib.contextmanager
def world_of(page, cluster, environment):
    """All that the page asks for, but the server under test, which its script starts."""
    with contextlib.ExitStack() as all_of_it:
        if page.endpoint:
            all_of_it.enter_context(serving(http.server.ThreadingHTTPServer(("127.0.0.1", page.endpoint), Hook)))
        if page.relay:
            all_of_it.enter_context(serving(ThreadingTcp(("127.0.0.1", page.relay), Relay)))
        if page.postgres:
            all_of_it.enter_context(postgres(cluster, environment))
        yield
