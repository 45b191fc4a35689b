#!/usr/bin/env python3
"""Check the findings' JSON against its schema.

usage: check_schema.py SCHEMA PRINTER

PRINTER N prints sample document N and exits with 77 when there is none. The
validator knows the keywords that the schema uses and refuses any other, so that
none is passed over in silence.
"""

import copy
import json
import re
import subprocess
import sys

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "required", "properties",
         "additionalProperties", "items", "enum", "const", "pattern", "minimum"}


class Invalid(Exception):
    pass


def check(value, schema, root, where="document"):
    unknown = set(schema) - KNOWN
    if unknown:
        raise SystemExit(f"the validator does not know {sorted(unknown)}")
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].lstrip("#/").split("/"):
            target = target[part]
        check(value, target, root, where)
    if "const" in schema and value != schema["const"]:
        raise Invalid(f"{where} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        raise Invalid(f"{where} is {value!r}, not one of {schema['enum']}")
    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(TYPES[kind](value) for kind in kinds):
            raise Invalid(f"{where} is {value!r}, not of type {kinds}")
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        raise Invalid(f"{where} is {value!r}, which does not match {schema['pattern']}")
    if "minimum" in schema and TYPES["number"](value) and value < schema["minimum"]:
        raise Invalid(f"{where} is {value}, below {schema['minimum']}")
    if isinstance(value, dict):
        check_object(value, schema, root, where)
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            check(item, schema["items"], root, f"{where}[{i}]")


def check_object(value, schema, root, where):
    for key in schema.get("required", []):
        if key not in value:
            raise Invalid(f"{where} has no '{key}'")
    for key, item in value.items():
        if key in schema.get("properties", {}):
            check(item, schema["properties"][key], root, f"{where}.{key}")
        elif "additionalProperties" in schema:
            check(item, schema["additionalProperties"], root, f"{where}.{key}")


def unique_keys(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise Invalid(f"a key occurs twice in {keys}")
    return dict(pairs)


def documents(printer):
    for number in range(1000):
        done = subprocess.run([printer, str(number)], stdout=subprocess.PIPE, check=False)
        if done.returncode == 77:
            return
        if done.returncode != 0:
            raise Invalid(f"sample {number}: status {done.returncode}")
        yield json.loads(done.stdout, object_pairs_hook=unique_keys)


def must_fail(document, schema, change, what):
    broken = copy.deepcopy(document)
    change(broken)
    try:
        check(broken, schema, schema)
    except Invalid:
        return
    raise Invalid(f"the schema accepts a document {what}")


def check_that_wrong_ones_fail(document, schema):
    """@document has a finding: break it in one place at a time."""
    must_fail(document, schema, lambda d: d.pop("program"), "without program")
    must_fail(document, schema, lambda d: d["stats"].update(events="3"), "with a count as text")
    must_fail(document, schema, lambda d: d["findings"][0].update(kind="divergence"),
              "with an unknown kind")
    must_fail(document, schema, lambda d: d["findings"][0].pop("replay"), "without replay")
    must_fail(document, schema, lambda d: d["findings"][0].update(id="0x12"), "with a wrong id")
    must_fail(document, schema, lambda d: d["findings"][0]["accesses"][0].update(thread="1"),
              "with a thread that is a number")
    must_fail(document, schema, lambda d: d["drops"].update(why=-1), "with a negative drop")


def expect(what, got, wanted):
    if got != wanted:
        raise Invalid(f"{what} is {got!r}, not {wanted!r}")


def check_contents(docs):
    """What sample_run.c put into the runs must come out."""
    abba, clean, crashed, diverged, others, race, hostile = docs
    finding = abba["findings"][0]
    expect("argv", abba["program"]["argv"], ["./bank", "two words"])
    expect("exit", abba["program"]["exit"], 66)
    expect("options", abba["options"], {"policy": "random", "seed": "7",
                                         "expect-exit": "4,9"})
    expect("kind", finding["kind"], "deadlock")
    expect("variable", finding["variable"], "b")
    expect("threads", [a["thread"] for a in finding["accesses"]], ["T1", "T2"])
    expect("lines", [a["line"] for a in finding["accesses"]], [14, 14])
    expect("locks", [a["locks"] for a in finding["accesses"]], [["a"], ["b"]])
    expect("name", finding["threads"][1]["name"], "w\x1b[2J\ufffd\"\n")
    expect("created", finding["threads"][1]["created"],
           {"by": "T1", "function": "main", "file": "src/bank.c", "line": 28})
    expect("decisions", abba["stats"]["transitions"], 2)
    expect("findings", clean["findings"], [])
    expect("exit", clean["program"]["exit"], 4)
    expect("drops", clean["drops"], {"call stack too deep": 3})
    expect("outside", clean["outside"], ["time(2)"])
    expect("signal", crashed["program"], {"argv": ["./bank", "two words"], "exit": None,
                                          "signal": 11})
    expect("kind", crashed["findings"][0]["kind"], "crash")
    expect("divergence", diverged["divergence"], "T2 is not runnable")
    expect("findings", diverged["findings"], [])
    expect("kinds", [f["kind"] for f in others["findings"]], ["livelock", "assertion", "misuse"])
    check_race(race)
    expect("variable", hostile["findings"][0]["variable"], "v\x1b]0;\x07\"]]>\ufffd(\n")
    expect("function", hostile["findings"][0]["accesses"][1]["function"],
           "f\x1b[31m<&\"']]>\ufffd\n")


def check_race(document):
    finding = document["findings"][0]
    first, second = finding["accesses"]
    expect("candidates", (document["candidates"], document["stats"]["candidates"]), ([], 1))
    expect("kind", (finding["kind"], finding["verdict"], finding["established"]),
           ("race", "observed", "happens-before"))
    expect("variable", finding["variable"], "counter")
    expect("first", [first[k] for k in ("thread", "op", "value", "line", "locks", "role")],
           ["T1", "write", 5, 18, [], "first"])
    expect("second", [second[k] for k in ("thread", "op", "value", "line", "locks", "role")],
           ["T2", "read", 5, 41, ["a"], "second"])
    expect("stack", [f["line"] for f in second["stack"]], [41, 22])
    expect("location", finding["location"]["kind"], "variable")
    expect("interleaving", [(s["thread"], s["step"], s["access"], s["switch"])
                            for s in finding["interleaving"]],
           [("T1", "write counter 5 bank.c:18", True, False),
            ("T2", "acquire a bank.c:13", False, True),
            ("T2", "read counter 5 bank.c:41", True, False)])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    try:
        docs = list(documents(sys.argv[2]))
        for document in docs:
            check(document, schema, schema)
        check_contents(docs)
        check_that_wrong_ones_fail(docs[0], schema)
    except Invalid as error:
        sys.exit(f"check_schema: {error}")
    print(f"{len(docs)} documents are valid")


main()
