#!/usr/bin/env python3
"""Which lines of src/ the tests ran: scripts/coverage.py BUILD [--folders domain,engine]. Reads what a build with --coverage left
in BUILD by gcc's own gcov. Prints the lines covered per folder of src/, and the lines that no test ran of the folders named.

A line counts once, however often a template or a header with it was compiled. One that is only a closing brace does not count: what
gcov sees there cleans up after an exception. Ends with 1 when a folder named is below --least.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--folders", default="domain,engine", help="whose lines that were not run are shown, and judged")
    parser.add_argument("--least", type=float, default=95.0, help="per cent that those must have")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def read_note(note):
    """[(source, line, how often)] of one compiled file, as gcov tells."""
    with tempfile.TemporaryDirectory() as nowhere:
        done = subprocess.run(["gcov", "--json-format", "--stdout", str(note)], cwd=nowhere, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=True)
    found = []
    for text in done.stdout.splitlines():
        report = json.loads(text)
        for file in report["files"]:
            source = Path(report["current_working_directory"], file["file"]).resolve()
            if PROJECT / "src" in source.parents:
                name = source.relative_to(PROJECT / "src")
                found += [(name, line["line_number"], line["count"]) for line in file["lines"]]
    return found


def read_all(build, jobs):
    """{file: {line: how often}}; the file is below src/."""
    # The tests' own objects, too: what is inline is in whichever of them the linker took it from.
    notes = list(build.resolve().rglob("*.gcda"))  # gcov runs elsewhere
    if not notes:
        sys.exit(f"coverage: nothing was run in {build}")
    counts = defaultdict(lambda: defaultdict(int))
    with ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(read_note, notes):
            for name, line, count in found:
                counts[name][line] += count
    return {name: without_braces(name, lines) for name, lines in counts.items()}


def without_braces(name, lines):
    text = (PROJECT / "src" / name).read_text().splitlines()
    return {line: count for line, count in lines.items() if text[line - 1].strip() not in ("}", "};")}


def never_compiled(counts):
    """Sources whose objects no program loaded: all of them uncovered, and their lines not known."""
    return sorted(path.relative_to(PROJECT / "src") for path in (PROJECT / "src").rglob("*.cpp")
                  if path.relative_to(PROJECT / "src") not in counts)


def ranges(lines):
    """'3-5, 9' of [3, 4, 5, 9]."""
    parts = []
    for line in sorted(lines):
        if parts and line == parts[-1][1] + 1:
            parts[-1][1] = line
        else:
            parts.append([line, line])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def print_table(counts):
    """{folder: per cent}."""
    totals = defaultdict(lambda: [0, 0])
    for name, lines in counts.items():
        for folder in (name.parts[0], "all of src"):
            totals[folder][0] += sum(1 for count in lines.values() if count > 0)
            totals[folder][1] += len(lines)
    print(f"{'folder':<12} {'lines':>7} {'covered':>8} {'':>7}")
    for folder, (covered, lines) in sorted(totals.items(), key=lambda one: (one[0] == "all of src", one[0])):
        print(f"{folder:<12} {lines:>7} {covered:>8} {100 * covered / lines:>6.1f} %")
    return {folder: 100 * covered / lines for folder, (covered, lines) in totals.items()}


def main():
    options = arguments()
    counts = read_all(options.build, options.jobs)
    covered = print_table(counts)
    for name in never_compiled(counts):
        print(f"not in any program that was run: src/{name}")
    folders = options.folders.split(",")
    for folder in folders:
        print(f"\nsrc/{folder}: lines that no test ran")
        for name, lines in sorted(counts.items()):
            missed = [line for line, count in lines.items() if count == 0]
            if name.parts[0] == folder and missed:
                print(f"  {name}: {ranges(missed)}")
    low = [folder for folder in folders if covered.get(folder, 0) < options.least]
    if low:
        print(f"\nbelow {options.least:g} %: {', '.join(low)}")
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
