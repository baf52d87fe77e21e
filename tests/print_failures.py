"""Prints the failed tests of ctest's reports, each with the end of what it said: the last thing a long run shows."""
import sys
import xml.etree.ElementTree as xml

LINES = 40

for path in sys.argv[1:]:
    for case in xml.parse(path).getroot().iter("testcase"):
        if case.get("status") != "fail":
            continue
        said = (case.findtext("system-out") or "").rstrip().splitlines()
        print(f"\n---- failed: {case.get('name')} ({path})")
        print("\n".join(said[-LINES:]))
