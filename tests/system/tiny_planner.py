#!/usr/bin/env python3
"""A planner for tests: breadth first, so its plans are the shortest there are.

    tiny_planner.py DOMAIN PROBLEM PLAN

Knows propositional STRIPS: conjunctions of facts, and `not` in effects.
"""

import re
import sys


def parse(path):
    """The file as nested lists of words."""
    with open(path, encoding="utf-8") as file:
        words = re.findall(r"[()]|[^\s()]+", re.sub(r";.*", "", file.read()).lower())
    stack = [[]]
    for word in words:
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    return stack[0][0]


def facts(formula):
    """(facts that hold, facts that do not) of a conjunction."""
    if not formula:
        return set(), set()
    parts = formula[1:] if formula[0] == "and" else [formula]
    yes = {tuple(p) for p in parts if p[0] != "not"}
    return yes, {tuple(p[1]) for p in parts if p[0] == "not"}


def read_domain(path):
    """name -> (precondition, added, deleted)"""
    actions = {}
    for item in parse(path):
        if item[0] != ":action":
            continue
        fields = dict(zip(item[2::2], item[3::2]))
        need, never = facts(fields.get(":precondition", []))
        assert not never, "only STRIPS is understood"
        actions[item[1]] = (need, *facts(fields[":effect"]))
    return actions


def read_problem(path):
    fields = {item[0]: item[1:] for item in parse(path) if isinstance(item, list)}
    return {tuple(f) for f in fields[":init"]}, facts(fields[":goal"][0])[0]


def solve(actions, init, goal):
    first = frozenset(init)
    level, seen = [(first, [])], {first}
    while level:
        following = []
        for state, plan in level:
            if goal <= state:
                return plan
            for name, (need, add, delete) in actions.items():
                if need <= state:
                    new = frozenset((state - delete) | add)
                    if new not in seen:
                        seen.add(new)
                        following.append((new, plan + [name]))
        level = following
    return None


def main():
    found = solve(read_domain(sys.argv[1]), *read_problem(sys.argv[2]))
    if found is None:
        print("no plan")
        return
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        out.writelines(f"({name})\n" for name in found)


if __name__ == "__main__":
    main()
