"""The exit status that goes with a document of findings."""

import re


def was_reached(goal):
    """A goal of --goal that has a schedule; three events of --pattern are none."""
    return goal["verdict"] == "feasible" and not re.fullmatch(r"\d+,\d+,\d+", goal["text"])


def status_of(document):
    """Of a command that neither failed otherwise (3) nor was wrong or left its schedule (2)."""
    if any(not f.get("known") and not f.get("suppressed") and not f.get("tolerated")
           for f in document["findings"]):
        return 1
    if any(was_reached(goal) for goal in document.get("goals", [])):
        return 1
    stopped = document["stats"].get("stopped")
    return 3 if stopped == "unshown" else 4 if stopped else 0
