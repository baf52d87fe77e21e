"""Makes the result of a run, as a dictionary for --json and as a table for people. Where a target is missed, says what
bounds the figure."""
import os
import platform
import time

import proc


NOISE = 0.2  # cores that others keep busy


def result(options, scale, folder, postgres, busy_before, figures):
    for one in figures:
        if not one["met"]:
            one["boundBy"] = bound(one)
    return {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "quick": scale.quick,
        "rounds": options.rounds,
        "machine": {"cores": os.cpu_count(), "kernel": platform.release(), **postgres,
                    "fdatasyncMillis": round(proc.sync_millis(folder), 3),
                    # By others, before the run and after it.
                    "coresBusyBefore": round(busy_before, 2), "coresBusyAfter": round(proc.busy_cores(), 2)},
        "figures": figures,
        "met": all(one["met"] for one in figures),
    }


def bound(one):
    """In words: the processors, one thread, the commits, or waiting; a figure without times is bound by what it counts."""
    middle = one.get("middle")
    if "own" in one:
        return bound_of_row(one["own"])
    if not middle:
        return f"the server's own {one.get('counts', 'memory')}"
    cores, threads = os.cpu_count(), middle["threadShare"]
    of, micros_by_name = cpu_micros(middle)
    cpu = ", ".join(f"{name} {micros:.0f} µs" for name, micros in micros_by_name.items() if micros > 0) + f" per {of}"
    busiest = max(threads.items(), key=lambda item: item[1], default=("", 0))
    if middle["coresBusy"] >= 0.9 * cores:
        return f"the processors: {middle['coresBusy']} of {cores} cores busy ({cpu})"
    if busiest[1] >= 0.85:
        return f"the server's thread '{busiest[0]}', busy {busiest[1]:.0%} of the time ({cpu})"
    if middle.get("commitShare", 0) >= 0.8:
        return (f"one commit after the other: {middle['batchMean']} mails in {middle['commitMillisMean']} ms, under way"
                f" {middle['commitShare']:.0%} of the time ({cpu})")
    return f"waiting (disk, wake-ups, other programs): {middle['coresBusy']} of {cores} cores busy ({cpu})"


def bound_of_row(row):
    """From a row of the contestants'."""
    cores, busy = os.cpu_count(), row["cpuMicrosSum"] * row["perSecond"] / 1e6
    cpu = ", ".join(f"{name} {micros:.0f} µs" for name, micros in row["cpuMicros"].items() if micros > 0) + " per job"
    what = "the processors" if busy >= 0.9 * cores else "waiting (disk, wake-ups, other programs)"
    return f"{what}: {busy:.2f} of {cores} cores busy ({cpu})"


def cpu_micros(middle):
    """("mail" or "job", CPU microseconds of each process for one of them)."""
    key = next(key for key in middle if key.startswith("cpuMicrosPer"))
    return key.removeprefix("cpuMicrosPer").lower(), middle[key]


def table(result):
    machine = result["machine"]
    lines = [f"eilbote bench, {result['at']}: {machine['cores']} cores, {machine['postgres']}, fdatasync"
             f" {machine['fdatasyncMillis']:.2f} ms; median of {result['rounds']}",
             "checked: " + ", ".join(f"{name} {value}" for name, value in machine["settings"].items())]
    others = max(machine["coresBusyBefore"], machine["coresBusyAfter"])
    if others > NOISE:
        lines.append(f"NOISY: other programs keep up to {others} cores busy. Every wait then costs a tick of the"
                     " scheduler (4 ms), which hits commits most; believe no figure")
    if result["quick"]:
        lines.append("QUICK: short runs and fewer rows than the targets are for")
    lines.append("")
    lines.append(f"{'':2} {'figure':74} {'value':>10} {'target':>10}  met")
    for one in result["figures"]:
        sign = "≤" if is_less_better(one) else "≥"
        value, target = shown(one, "value"), f"{sign} {shown(one, 'target')}"
        lines.append(f"{one['figure']:2} {one['name']:74} {value:>10} {target:>10}  {'yes' if one['met'] else 'NO'}")
        lines.append(f"   {one['note']}")
        if "contestants" in one:
            lines += contestants(one["contestants"])
        if "middle" in one:
            lines.append("   " + resources(one["middle"]))
        if "boundBy" in one:
            lines.append(f"   bound by: {one['boundBy']}")
    return "\n".join(lines)


def is_less_better(one):
    return one["unit"] in ("ms", "s", "MB", "B", "threads", "times", "%", "mails")


def shown(one, key):
    """Its value or target with the unit."""
    return f"{one[key]}" if one["unit"] in ("ratio", "count") else f"{one[key]} {one['unit']}"


# Heading, key, format, and whether less is better.
COLUMNS = (("per s", "perSecond", "{:,.0f}", False), ("p50 ms", "p50", "{:.1f}", True), ("p99 ms", "p99", "{:.1f}", True),
           ("CPU µs", "cpuMicrosSum", "{:.0f}", True), ("WAL B", "walBytes", "{:,.0f}", True),
           ("commits", "commits", "{:.3f}", True), ("RSS MB", "rssMb", "{:.0f}", True))


def contestants(rows):
    """A row for each, what they cost per job, and where another one is better than the first: that is us."""
    lines = ["   " + f"{'per job:':26}" + "".join(f"{heading:>9}" for heading, *_ in COLUMNS) + "  CPU µs by process"]
    for name, row in rows.items():
        cells = (form.format(row[key]) if row.get(key) is not None else "–" for _, key, form, _ in COLUMNS)
        by_process = ", ".join(f"{who} {micros:.0f}" for who, micros in row["cpuMicros"].items())
        lines.append("   " + f"{name:26}" + "".join(f"{cell:>9}" for cell in cells) + f"  {by_process}")
    (_, own), *others = rows.items()
    for name, row in others:
        better = [heading for heading, key, _, less in COLUMNS if is_better(row.get(key), own.get(key), less)]
        if better:
            lines.append(f"   {name} is better in: {', '.join(better)}")
    return lines


def is_better(one, other, less):
    """By more than two in a hundred."""
    if one is None or other is None:
        return False
    return one < 0.98 * other if less else one > 1.02 * other


def resources(middle):
    """CPU by process and the size of the batches, in one line."""
    of, micros_by_name = cpu_micros(middle)
    cpu = ", ".join(f"{name} {micros:.0f}" for name, micros in micros_by_name.items())
    text = f"CPU µs per {of}: {cpu}; cores busy {middle['coresBusy']}"
    if "batchMean" in middle:
        text += f"; batch {middle['batchMean']} mails, commit {middle['commitMillisMean']} ms"
    return text
