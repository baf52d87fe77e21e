"""CPU time and memory of processes, and the machine, from /proc."""
import os
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def _fields(path):
    """Name and the fields after it; the name may hold spaces and brackets."""
    text = Path(path).read_text()
    name = text[text.index("(") + 1:text.rindex(")")]
    return name, text[text.rindex(")") + 2:].split()


def cpu_seconds(pid):
    _, fields = _fields(f"/proc/{pid}/stat")
    return (int(fields[11]) + int(fields[12])) / TICKS


def thread_cpu_seconds(pid):
    """By thread name; threads of one name are added up."""
    totals = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            name, fields = _fields(task / "stat")
        except OSError:
            continue  # it ended just now
        totals[name] = totals.get(name, 0) + (int(fields[11]) + int(fields[12])) / TICKS
    return totals


def thread_count(pid):
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


def family_cpu_seconds(pid):
    """A process with its children, those that ended included."""
    _, fields = _fields(f"/proc/{pid}/stat")
    total = sum(int(fields[i]) for i in (11, 12, 13, 14)) / TICKS
    for other in Path("/proc").iterdir():
        if not other.name.isdigit():
            continue
        try:
            _, fields = _fields(other / "stat")
        except OSError:
            continue
        if int(fields[1]) == pid:
            total += (int(fields[11]) + int(fields[12])) / TICKS
    return total


def connections_to(port):
    """Established TCP connections of this machine's programs to that port of the loopback interface."""
    wanted, established = f"0100007F:{port:04X}", "01"
    rows = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    return sum(row[2] == wanted and row[3] == established for row in rows)


def memory_mb(pid):
    """(resident now, highest so far) in MB of 2^20 bytes."""
    values = {}
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(("VmRSS", "VmHWM")):
            values[line.split(":")[0]] = int(line.split()[1]) / 1024
    return values["VmRSS"], values["VmHWM"]


def busy_cores(seconds=1.0):
    """How many cores are busy now, whoever uses them."""
    def busy():
        times = [int(text) for text in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        return (sum(times) - times[3] - times[4]) / TICKS

    before = busy()
    time.sleep(seconds)
    return (busy() - before) / seconds


def sync_millis(folder):
    """The median time of one 8 KiB write with fdatasync into a file that has its size already, as a log has: what a
    commit costs at least."""
    times, path = [], Path(folder) / "sync"
    with open(path, "w+b", buffering=0) as file:
        file.write(bytes(200 * 8192))
        os.fsync(file.fileno())
        file.seek(0)
        for _ in range(200):
            began = time.monotonic()
            file.write(b"x" * 8192)
            os.fdatasync(file.fileno())
            times.append(time.monotonic() - began)
    path.unlink()
    return sorted(times)[len(times) // 2] * 1000
