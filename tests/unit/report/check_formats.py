#!/usr/bin/env python3
"""Every format against its golden file and against its own rules.

usage: check_formats.py PRINTER GOLDEN VERSION

PRINTER N FORMAT prints sample N; GOLDEN is the folder tests/golden. Sample 5 is the race of
sample_run.h, sample 6 the same with names that are attacks.
"""

import copy
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

PRINTER, GOLDEN, VERSION = sys.argv[1:4]
sys.path.insert(0, os.path.join(GOLDEN, "..", "system"))
import markdown_rules  # pylint: disable=wrong-import-position
import sarif_rules  # pylint: disable=wrong-import-position

RACE, HOSTILE = 5, 6


def printed(sample, form):
    done = subprocess.run([PRINTER, str(sample), form], stdout=subprocess.PIPE, check=False)
    if done.returncode == 77:
        return None
    if done.returncode:
        sys.exit(f"sample {sample} as {form}: status {done.returncode}")
    return done.stdout


def check_golden(form, name):
    """Fingerprints are whatever they are, and the version changes."""
    text = printed(RACE, form).decode("utf-8")
    text = re.sub(r"\b[0-9a-f]{16}\b", "FINGERPRINT", text)
    text = text.replace(f'"version": "{VERSION}"', '"version": "VERSION"')
    with open(os.path.join(GOLDEN, name), encoding="utf-8") as file:
        wanted = file.read()
    if text == wanted:
        return
    lines = zip(text.splitlines() + ["(the end)"], wanted.splitlines() + ["(the end)"])
    for number, (got, want) in enumerate(lines, 1):
        if got != want:
            sys.exit(f"{name}:{number}: expected\n{want}\ngot\n{got}")


def samples(form):
    number = 0
    while (text := printed(number, form)) is not None:
        yield text
        number += 1


def check_text():
    """What may drive a terminal or forge a line is shown, not sent."""
    for text in samples("text-all"):
        shown = text.decode("utf-8")
        bad = [c for c in shown if c != "\n" and (ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0)]
        if bad:
            sys.exit(f"the text has the characters {bad}")
    lines = printed(HOSTILE, "text").decode("utf-8").splitlines()
    if sum(line.startswith("HEDDLE: ") for line in lines) != 1:
        sys.exit("a name has forged a line of the report")


def check_junit():
    for text in samples("junit-all"):
        suites = xml.etree.ElementTree.fromstring(text)
        for suite in suites:
            cases = suite.findall("testcase")
            counted = (len(cases), sum(c.find("failure") is not None for c in cases),
                       sum(c.find("skipped") is not None for c in cases))
            said = tuple(int(suite.get(k)) for k in ("tests", "failures", "skipped"))
            if counted != said or not cases:
                sys.exit(f"JUnit: the suite says {said}, but has {counted}")
    suites = xml.etree.ElementTree.fromstring(printed(HOSTILE, "junit"))
    message = suites.find("./testsuite/testcase/failure").get("message")
    if message != "data race on 'v\\x1b]0;\\x07\"]]>\\xc3(\\x0a' (happens-before)":
        sys.exit(f"JUnit: the message is {message!r}")


def refused(log, change, what):
    broken = copy.deepcopy(log)
    change(broken["runs"][0]["results"][0])
    try:
        sarif_rules.check(broken)
    except sarif_rules.Invalid:
        return
    sys.exit(f"the rules accept a result {what}")


def check_sarif():
    for text in samples("sarif-all"):
        sarif_rules.check(json.loads(text))
    log = json.loads(printed(RACE, "sarif"))
    refused(log, lambda r: r.pop("message"), "without a message")
    refused(log, lambda r: r.update(level="fatal"), "of an unknown level")
    refused(log, lambda r: r.update(line=3), "with an unknown property")
    refused(log, lambda r: r.update(codeFlows=[{"threadFlows": []}]), "with an empty flow")
    place = ("physicalLocation", "artifactLocation")
    refused(log, lambda r: r["locations"][0][place[0]][place[1]].update(uri="a b.c"),
            "with a blank in a URI")
    hostile = json.loads(printed(HOSTILE, "sarif"))["runs"][0]["results"][0]
    uri = hostile["locations"][0][place[0]][place[1]]["uri"]
    # The byte FE is no UTF-8: the document, and what is made of it, has U+FFFD instead.
    if uri != "src/a%20b%09%25%EF%BF%BD%23%3F%0A.c":
        sys.exit(f"SARIF: the URI is {uri!r}")


check_text()
check_junit()
check_sarif()
for sample in samples("markdown-all"):
    markdown_rules.check(sample.decode("utf-8"))
check_golden("text-all", "race.txt")
check_golden("json-all", "race.json")
check_golden("sarif-all", "race.sarif")
check_golden("junit-all", "race.xml")
check_golden("markdown", "race.md")
print("all formats are as they should be")
