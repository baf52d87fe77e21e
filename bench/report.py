"""Makes the result of a run, as a dictionary for --json and as a table for people. Where a target is missed, says what
bounds the figure."""
import os
import platform
import time

import proc


def result(options, scale, folder, postgres, busy_before, figures):
    for one in figures:
        if not one["met"]:
            one["boundBy"] = bound(one)
    return {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "quick": scale.quick,
        "rounds": options.rounds,
        "machine": {"cores": os.cpu_count(), "kernel": platform.release(), "postgres": postgres.version,
                    "fdatasyncMillis": round(proc.sync_millis(folder), 3),
                    # By others, before the run and after it.
                    "coresBusyBefore": round(busy_before, 2), "coresBusyAfter": round(proc.busy_cores(), 2)},
        "figures": figures,
        "met": all(one["met"] for one in figures),
    }


def bound(one):
    """In words: the processors, one thread, the commits, or waiting; a figure without times is bound by what it counts."""
    middle = one.get("middle")
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


def cpu_micros(middle):
    """("mail" or "job", CPU microseconds of each process for one of them)."""
    key = next(key for key in middle if key.startswith("cpuMicrosPer"))
    return key.removeprefix("cpuMicrosPer").lower(), middle[key]


def table(result):
    machine = result["machine"]
    lines = [f"eilbote bench, {result['at']}: {machine['cores']} cores, {machine['postgres']}, fdatasync"
             f" {machine['fdatasyncMillis']:.2f} ms; median of {result['rounds']}"]
    others = max(machine["coresBusyBefore"], machine["coresBusyAfter"])
    if others > 0.2:
        lines.append(f"NOISY: other programs keep up to {others} cores busy. Every wait then costs a tick of the"
                     " scheduler (4 ms), which hits commits most; believe no figure")
    if result["quick"]:
        lines.append("QUICK: short runs and fewer rows than the targets are for")
    lines.append("")
    lines.append(f"{'':2} {'figure':74} {'value':>10} {'target':>10}  met")
    for one in result["figures"]:
        sign = "≤" if one["unit"] in ("ms", "MB", "threads", "times", "%") else "≥"
        unit = "" if one["unit"] in ("ratio", "count") else f" {one['unit']}"
        value, target = f"{one['value']}{unit}", f"{sign} {one['target']}{unit}"
        lines.append(f"{one['figure']:2} {one['name']:74} {value:>10} {target:>10}  {'yes' if one['met'] else 'NO'}")
        lines.append(f"   {one['note']}")
        if "middle" in one:
            lines.append("   " + resources(one["middle"]))
        if "boundBy" in one:
            lines.append(f"   bound by: {one['boundBy']}")
    return "\n".join(lines)


def resources(middle):
    """CPU by process and the size of the batches, in one line."""
    of, micros_by_name = cpu_micros(middle)
    cpu = ", ".join(f"{name} {micros:.0f}" for name, micros in micros_by_name.items())
    text = f"CPU µs per {of}: {cpu}; cores busy {middle['coresBusy']}"
    if "batchMean" in middle:
        text += f"; batch {middle['batchMean']} mails, commit {middle['commitMillisMean']} ms"
    return text
