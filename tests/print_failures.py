"""Prints the failed tests of ctest's reports, each with the end of what it said: the last thing a long run shows. Of a process with
many tests in it only those that failed."""
import re
import sys
import xml.etree.ElementTree as xml

LINES = 40
FAILED = re.compile(r"^\[ RUN      \] (?P<name>\S+)$.*?^\[  FAILED  \] (?P=name)\b[^\n]*$", re.MULTILINE | re.DOTALL)


def failed_parts(said):
    """What each failed test of gtest said; all of it when none is found to have ended: then the process did."""
    runs = ["[ RUN      ]" + part for part in said.split("[ RUN      ]")[1:]]
    return [match.group(0) for run in runs if (match := FAILED.search(run))] or [said]


for path in sys.argv[1:]:
    for case in xml.parse(path).getroot().iter("testcase"):
        if case.get("status") != "fail":
            continue
        print(f"\n---- failed: {case.get('name')} ({path})")
        for part in failed_parts((case.findtext("system-out") or "").rstrip()):
            print("\n".join(part.splitlines()[-LINES:]))
