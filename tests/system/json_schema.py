"""A validator for the part of JSON Schema that docs/reference/findings.schema.json uses."""

import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
         "integer": int, "number": (int, float)}
ANNOTATIONS = {"$schema", "$defs", "title", "description"}


class Invalid(Exception):
    pass


def has_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def check(value, schema, root, where="$"):
    """Raise Invalid where @value does not follow @schema."""
    for keyword, rule in schema.items():
        if keyword in ANNOTATIONS:
            continue
        if keyword not in CHECKS:
            raise Invalid(f"the validator does not know '{keyword}'")
        CHECKS[keyword](value, rule, schema, root, where)


def expect(holds, where, value, what):
    if not holds:
        raise Invalid(f"{where}: {value!r}: {what}")


def check_ref(value, rule, _, root, where):
    target = root
    for part in rule[2:].split("/"):
        target = target[part]
    check(value, target, root, where)


def check_properties(value, rule, schema, root, where):
    for key, item in value.items() if isinstance(value, dict) else ():
        if key in rule:
            check(item, rule[key], root, f"{where}.{key}")


def check_additional(value, rule, schema, root, where):
    for key, item in value.items() if isinstance(value, dict) else ():
        if key not in schema.get("properties", {}):
            check(item, rule, root, f"{where}.{key}")


def check_items(value, rule, _, root, where):
    for number, item in enumerate(value if isinstance(value, list) else ()):
        check(item, rule, root, f"{where}[{number}]")


def check_type(value, rule, _, root, where):
    names = rule if isinstance(rule, list) else [rule]
    expect(any(has_type(value, n) for n in names), where, value, f"is not of type {rule}")


def check_required(value, rule, _, root, where):
    if isinstance(value, dict):
        expect(set(rule) <= set(value), where, value, f"lacks one of {rule}")


def check_pattern(value, rule, _, root, where):
    if isinstance(value, str):
        expect(re.search(rule, value), where, value, f"does not match {rule}")


def check_minimum(value, rule, _, root, where):
    if has_type(value, "number"):
        expect(value >= rule, where, value, f"is below {rule}")


CHECKS = {
    "$ref": check_ref, "properties": check_properties, "additionalProperties": check_additional,
    "items": check_items, "type": check_type, "required": check_required,
    "pattern": check_pattern, "minimum": check_minimum,
    "enum": lambda v, rule, s, r, where: expect(v in rule, where, v, f"is none of {rule}"),
    "const": lambda v, rule, s, r, where: expect(v == rule, where, v, f"is not {rule}"),
}
