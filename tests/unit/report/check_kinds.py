#!/usr/bin/env python3
"""The list of kinds of findings against the documents that have it too.

usage: check_kinds.py KINDS_DEF DOCS

The numbers of kinds are in traces and exploration files that people keep, the ids in fingerprints of
their baselines, so both are written down here once more.
"""

import json
import os
import re
import sys

ON_DISK = {
    "DEADLOCK": (1, "deadlock"), "LIVELOCK": (2, "livelock"), "CRASH": (3, "crash"),
    "ASSERTION": (4, "assertion"), "MISUSE": (5, "misuse"), "DIVERGENCE": (6, "divergence"),
    "RACE": (7, "race"), "LOCKSET": (8, "race"), "PERMISSION": (9, "permission"),
    "TASK_RACE": (10, "race"), "TASK_ATOMICITY": (11, "atomicity"), "PATTERN": (12, "atomicity"),
    "MEMORY": (13, "memory"), "EXIT": (0xf0, "exit"), "ATOMICITY": (0x100, "atomicity"),
    "LOCK_ORDER": (0x101, "lock order"), "EXTENDED_RACE": (0x102, "extended-race"),
    "SHARING": (0x103, "sharing"), "ORDER": (0x104, "order"),
    "GOAL": (0x105, "goal"),
}
RULE = re.compile(r'^HD_RULE\((\w+),\s*"([^"]+)",\s*"([^"]+)"', re.M)
KIND = re.compile(r'^HD_KIND\((\w+), (\w+), (\w+), (\w+), \w+, (?:NULL|"[^"]*"), "([^"]+)",', re.M)


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"check_kinds: {what}: {got!r}, not {wanted!r}")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def find(docs, name):
    """A document by its name, in whatever part of docs/ it is."""
    for folder, _, files in os.walk(docs):
        if name in files:
            return os.path.join(folder, name)
    sys.exit(f"check_kinds: there is no {name} in {docs}")


def check_kinds(text, rules):
    kinds = KIND.findall(text)
    expect("lines of kinds", len(kinds), text.count("\nHD_KIND("))
    expect("numbers and ids", {k[0]: (int(k[1], 0), k[4]) for k in kinds}, ON_DISK)
    told = {name for name, _, _, as_, _ in kinds if name == as_}
    for name, _, rule, as_, _ in kinds:
        if as_ not in told:
            sys.exit(f"check_kinds: {name} is told as {as_}, which is told as another")
        if rule not in rules and (rule, name) != ("NONE", "DIVERGENCE"):
            sys.exit(f"check_kinds: {name} has no rule {rule}")
    expect("rules without a kind", set(rules) - {k[2] for k in kinds}, set())


def check_documents(words, docs):
    folder = os.path.dirname(find(docs, "extended-race.md"))
    expect("pages", sorted(os.listdir(folder)), sorted(f"{word}.md" for word in words))
    for word in words:
        expect(f"title of {word}.md", read(folder, f"{word}.md").split(":")[0], f"# `{word}`")
    schema = json.loads(read(find(docs, "findings.schema.json")))
    expect("the schema", schema["$defs"]["finding"]["properties"]["kind"]["enum"], words)
    links = re.findall(r"\[([\w-]+)\]\([./]*kinds/([\w-]+)\.md\)", read(find(docs, "findings.md")))
    for word in words:
        if (word, word) not in links:
            sys.exit(f"check_kinds: findings.md has no link to the page of {word}")
        if f"`{word}`" not in read(find(docs, "suppressions.md")):
            sys.exit(f"check_kinds: suppressions.md has no type {word}")


def main():
    text, docs = read(sys.argv[1]), sys.argv[2]
    rules = RULE.findall(text)
    expect("lines of rules", len(rules), text.count("\nHD_RULE("))
    check_kinds(text, [rule[0] for rule in rules])
    check_documents([rule[1] for rule in rules], docs)


main()
