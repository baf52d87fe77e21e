"""Prints the failed tests of a ctest report, each with the end of what it said; of a process with many tests in it only those that
failed. With --passed-now FIRST AGAIN the names of those that failed in the first report and not in the second."""
import re
import sys
import xml.etree.ElementTree as xml

LINES = 40
FAILED = re.compile(r"^\[ RUN      \] (?P<name>\S+)$.*?^\[  FAILED  \] (?P=name)\b[^\n]*$", re.MULTILINE | re.DOTALL)


def failed_parts(said):
    """What each failed test of gtest said; all of it when none is found to have ended: then the process did."""
    runs = ["[ RUN      ]" + part for part in said.split("[ RUN      ]")[1:]]
    return [match.group(0) for run in runs if (match := FAILED.search(run))] or [said]


def failed_cases(path):
    return [case for case in xml.parse(path).getroot().iter("testcase") if case.get("status") == "fail"]


def print_failures(path):
    for case in failed_cases(path):
        print(f"\n---- failed: {case.get('name')} ({path})")
        for part in failed_parts((case.findtext("system-out") or "").rstrip()):
            print("\n".join(part.splitlines()[-LINES:]))


if sys.argv[1] == "--passed-now":
    first, again = ({case.get("name") for case in failed_cases(path)} for path in sys.argv[2:])
    for name in sorted(first - again):
        print(name)
else:
    print_failures(sys.argv[1])
