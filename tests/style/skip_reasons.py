"""Prints the reason of each skipped test of a ctest JUnit file: the last line of its output."""
import sys
import xml.etree.ElementTree as tree

for case in tree.parse(sys.argv[1]).getroot().iter("testcase"):
    if case.find("skipped") is not None:
        output = (case.findtext("system-out") or "").strip().splitlines()
        print(f"  {case.get('name')}: {output[-1] if output else case.find('skipped').get('message')}")
