"""A Postfix of our own that relays everything to one place: unpacked, not installed, with its configuration and its queue
in the bench's folder. Its two accounts exist only in a mount namespace of its own, so nothing on the machine changes."""
import os
import resource
import shlex
import subprocess
from pathlib import Path

import proc
from parts import Trouble, run
from sink import free_port, stop, wait_for_port

# Durability is Postfix's own (each queue file is synced before "250"). The rest is set for speed: no looking up of names, no
# counting of clients, no brake when mail comes in faster than it leaves, all deliveries at once from the start.
SETTINGS = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
command_directory = {programs}/usr/sbin
daemon_directory = {programs}/usr/lib/postfix/sbin
shlib_directory = {programs}/usr/lib/postfix
mail_owner = postfix
setgid_group = postdrop
import_environment = MAIL_CONFIG LD_LIBRARY_PATH
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = bench.example.org
mydestination =
mynetworks = 127.0.0.0/8
alias_maps =
local_recipient_maps =
relayhost = [127.0.0.1]:{relay_port}
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_peername_lookup = no
smtp_dns_support_level = disabled
smtp_tls_security_level = none
smtpd_client_connection_count_limit = 0
smtpd_client_connection_rate_limit = 0
in_flow_delay = 0
default_process_limit = 100
default_destination_concurrency_limit = 20
initial_destination_concurrency = 20
"""

SERVICES = """
127.0.0.1:{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
"""

QUEUES = ("maildrop", "incoming", "active", "deferred", "bounce", "defer", "corrupt", "hold", "flush", "saved", "trace",
          "private", "public")


class PostfixPrograms:
    """Postfix as `dpkg -x` leaves it."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                            "LD_LIBRARY_PATH": str(self.folder / "usr/lib/postfix")}
        if not self.command("smtp-sink").exists():
            raise Trouble(f"no Postfix in {self.folder}; ./dev bench mail fetches it")
        self.version = run([self.command("postconf"), "-d", "-h", "mail_version"], env=self.environment).strip()

    def command(self, name):
        return self.folder / "usr/sbin" / name


class Postfix:
    def __init__(self, programs, folder, relay_port):
        if os.geteuid() != 0:
            raise Trouble("Postfix runs under root only: call the bench as root")
        self.programs, self.folder, self.port = programs, Path(folder), free_port()
        for name in ("etc", "queue", "data", "queue/pid"):
            (self.folder / name).mkdir(parents=True)
        values = {"folder": self.folder, "programs": programs.folder, "relay_port": relay_port, "port": self.port}
        (self.folder / "etc/main.cf").write_text(SETTINGS.format(**values))
        (self.folder / "etc/master.cf").write_text(SERVICES.format(**values))
        (self.folder / "etc/dynamicmaps.cf").write_text("")
        owner, group = self.write_accounts()
        os.chown(self.folder / "data", owner, owner)
        for name in QUEUES:
            path = self.folder / "queue" / name
            path.mkdir()
            os.chown(path, owner, group if name in ("maildrop", "public") else 0)
            path.chmod(0o730 if name == "maildrop" else 0o710 if name == "public" else 0o700)

    def write_accounts(self):
        """The machine's accounts with Postfix's two, under numbers nobody has: it insists on having them for itself."""
        people, groups = (Path(f"/etc/{name}").read_text() for name in ("passwd", "group"))
        used = {int(line.split(":")[2]) for line in (people + groups).splitlines() if line.count(":") >= 3}
        owner, group = [number for number in range(64900, 65500) if number not in used][:2]
        people = [line for line in people.splitlines() if not line.startswith("postfix:")]
        groups = [line for line in groups.splitlines() if not line.startswith(("postfix:", "postdrop:"))]
        people.append(f"postfix:x:{owner}:{owner}::/nonexistent:/usr/sbin/nologin")
        groups += [f"postfix:x:{owner}:", f"postdrop:x:{group}:"]
        (self.folder / "passwd").write_text("\n".join(people) + "\n")
        (self.folder / "group").write_text("\n".join(groups) + "\n")
        return owner, group

    def __enter__(self):
        here = shlex.quote(str(self.folder))
        master = shlex.quote(str(self.programs.folder / "usr/lib/postfix/sbin/master"))
        script = (f"mount --bind {here}/passwd /etc/passwd && mount --bind {here}/group /etc/group &&"
                  f" exec {master} -d -c {here}/etc")
        # A session of its own: the master ends all of its process group when it is told to stop.
        self.process = subprocess.Popen(["unshare", "--mount", "--propagation", "private", "sh", "-c", script],
                                        env=self.programs.environment, cwd="/", stdin=subprocess.DEVNULL,
                                        start_new_session=True)
        self.pid = self.process.pid
        try:
            wait_for_port(self.port, self.process, "Postfix")
        except Trouble:
            stop(self.process)
            raise
        return self

    def __exit__(self, *_):
        stop(self.process)

    def submit(self, mails, sessions, text_bytes):
        """`smtp-source`, over connections that stay open, each mail to another recipient; its CPU seconds."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run([self.programs.command("smtp-source"), "-4", "-d", "-N", "-s", str(sessions), "-m", str(mails), "-l",
             str(text_bytes), "-S", "A mail of the benchmark", "-M", "bench.example.org", "-f", "bench@example.org", "-t",
             "u@example.org", f"127.0.0.1:{self.port}"], env=self.programs.environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def cpu_seconds(self):
        return proc.family_cpu_seconds(self.pid)
