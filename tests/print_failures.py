"""Prints the failed tests of a ctest report, each with the end of what it said; of a process with many tests in it only those that
failed. With --said REPORT all that they said, with --names REPORT their names, with --passed-now FIRST AGAIN the names of those that
failed in the first report and ran well in the second."""
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


def names(path, status):
    return {case.get("name") for case in xml.parse(path).getroot().iter("testcase") if case.get("status") == status}


if sys.argv[1] == "--passed-now":
    for name in sorted(names(sys.argv[2], "fail") & names(sys.argv[3], "run")):
        print(name)
elif sys.argv[1] == "--names":
    for name in sorted(names(sys.argv[2], "fail")):
        print(name)
elif sys.argv[1] == "--said":
    for case in failed_cases(sys.argv[2]):
        print(case.findtext("system-out") or "")
else:
    print_failures(sys.argv[1])
