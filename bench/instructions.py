#!/usr/bin/env python3
"""Instructions that a job costs, by callgrind: python3 instructions.py check | write, --program FILE. `check` (a test) fails when a path
takes a tenth more than baseline.json says, `write` (./dev bench baseline) says it anew. Exit code 77: this machine cannot tell.

A path is run with two counts of jobs; the difference is what the jobs cost, and what starting costs is gone from it."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PATHS = ("accept-webhook", "accept-mail", "settle-webhook", "settle-mail")
FEW, MANY = 50, 250
ALLOWED = 1.1
BASELINE = Path(__file__).resolve().parent / "baseline.json"
SKIPPED = 77
# The C library chooses its copying and comparing by what the processor can do; so it chooses the same on all of them.
PLAIN = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX,-ERMS,-FSRM,-AVX512F,-AVX512VL,-AVX512BW,-BMI2,-LZCNT,-MOVBE"}


def instructions(program, path, count):
    """Of a whole run."""
    with tempfile.TemporaryDirectory(prefix="eilbote-instructions-") as folder:
        out = Path(folder) / "callgrind.out"
        # One thread at a time anyway; fair turns make them the same in each run.
        command = ["valgrind", "--tool=callgrind", "--fair-sched=yes", f"--callgrind-out-file={out}", program, path, str(count)]
        done = subprocess.run(command, env={**os.environ, **PLAIN, "TMPDIR": folder}, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"instructions: {path} {count} failed ({done.returncode}): {done.stderr[-2000:]}")
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE).group(1))


def measured(program):
    """{path: instructions per job}"""
    counts = {}
    for path in PATHS:
        counts[path] = round((instructions(program, path, MANY) - instructions(program, path, FEW)) / (MANY - FEW))
        print(f"{path}: {counts[path]:,} instructions per job", file=sys.stderr, flush=True)
    return counts


def check(counts, baseline):
    """Lines about what costs more; empty when all is well."""
    more = [f"{path}: {count:,} instructions per job, {count / baseline[path] - 1:.1%} more than bench/baseline.json says"
            for path, count in counts.items() if count > ALLOWED * baseline[path]]
    less = [path for path, count in counts.items() if count * ALLOWED < baseline[path]]
    if less:
        print(f"{', '.join(less)}: a tenth less than bench/baseline.json says; write it anew: ./dev bench baseline")
    return more


def main():
    parser = argparse.ArgumentParser(description="Counts the instructions that accepting and settling a job cost.")
    parser.add_argument("act", choices=["check", "write"])
    parser.add_argument("--program", required=True, help="eilbote_instructions, of the release build")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("SKIPPED: no valgrind here, so nobody counts instructions (apt-get install valgrind)")
        return SKIPPED
    about = subprocess.run([options.program, "about"], capture_output=True, text=True, check=True).stdout.strip()
    about = f"{about}, {os.uname().machine}"
    baselines = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    if options.act == "write":
        baselines[about] = measured(options.program)
        BASELINE.write_text(json.dumps(baselines, indent=2, sort_keys=True) + "\n")
        return 0
    if about not in baselines:
        print(f"SKIPPED: bench/baseline.json has nothing for {about}; ./dev bench baseline writes it")
        return SKIPPED
    more = check(measured(options.program), baselines[about])
    if not more:
        print("no path costs a tenth more")
        return 0
    print("\n".join(more + ["if that is worth it, say so with a new baseline: ./dev bench baseline"]))
    return 1


if __name__ == "__main__":
    sys.exit(main())
