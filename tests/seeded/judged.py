"""Is a report right? What is right stands in the header of a program with one error:

FAILS   how it fails: the kind of a finding, or "output", or several such with | between them
CAUSE   a regular expression for what is to blame: variables, or what the threads wait for
REMEDY  one for what mends it; "none" is right if nothing is found, or not looked for
"""
import re


def truth_of(text):
    """The three, of a source."""
    return tuple(re.search(rf"^ \* {word}: (.*)$", text, re.M).group(1) for word in ("FAILS", "CAUSE", "REMEDY"))


def failure(finding):
    """How it fails, in a word."""
    if finding.get("consequence"):
        return finding["consequence"]["kind"]
    if finding["outcome"] is None:
        return finding["kind"]
    words = {"standard": "output", "the": "exit"}
    first = re.match(r"[a-z]+", finding["outcome"]).group()
    return words.get(first, first)


def of_failure(findings, fails):
    """The first finding that fails so, or the first one; None: there is none."""
    return next((f for f in findings if failure(f) in fails.split("|")), findings[0] if findings else None)


def blames(finding, cause):
    """Is what is to blame told, and rightly?"""
    if finding["kind"] in ("assertion", "crash", "exit"):
        return "not told"
    names = " ".join(filter(None, [finding["variable"], finding["summary"]]))
    return "right" if re.search(rf"(?<![A-Za-z_])({cause})(?![A-Za-z_])", names) else "wrong"


def mends(finding, remedy):
    """Is what is told of a remedy right?"""
    told = finding["remedy"]
    if not told or not told["found"]:
        return "right: none" if "none" in remedy.split("|") else "not found" if told else "not looked for"
    return "right" if re.search(remedy, told["text"]) else "wrong"
