"""The rules of SARIF 2.1.0 for the objects that heddle writes.

Each object is given by its required properties and by what each property must be; like the
official schema, other properties are refused.
"""

import re

LEVELS = {"none", "note", "warning", "error"}
URI = re.compile(r"^(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*$")


class Invalid(Exception):
    pass


def need(holds, where, what):
    if not holds:
        raise Invalid(f"{where}: {what}")


def text(value, where):
    need(isinstance(value, str), where, "is no text")
    value.encode("utf-8")  # no lone surrogates


def words(*allowed):
    return lambda value, where: need(value in allowed, where, f"{value!r} is none of {allowed}")


def number(least):
    def check(value, where):
        need(isinstance(value, int) and not isinstance(value, bool) and value >= least, where,
             f"{value!r} is no whole number from {least}")
    return check


def flag(value, where):
    need(isinstance(value, bool), where, "is neither true nor false")


def uri(value, where):
    text(value, where)
    need(value and URI.match(value), where, f"{value!r} is no URI reference")
    need(not value.startswith("//"), where, "names a host")
    need(":" not in value.split("/")[0] or value.startswith("file:///"), where,
         f"{value!r} is neither relative nor of a file")


def list_of(item, least=0):
    def check(value, where):
        need(isinstance(value, list) and len(value) >= least, where,
             f"is no list of at least {least}")
        for i, each in enumerate(value):
            item(each, f"{where}[{i}]")
    return check


def bag(value, where):
    need(isinstance(value, dict), where, "is no object")


def texts(value, where):
    bag(value, where)
    for key, each in value.items():
        text(each, f"{where}.{key}")


def thing(required, **properties):
    def check(value, where):
        bag(value, where)
        for key in required.split():
            need(key in value, where, f"has no {key}")
        for key, each in value.items():
            need(key in properties, where, f"may not have {key}")
            properties[key](each, f"{where}.{key}")
    return check


MESSAGE = thing("text", text=text)
PHYSICAL = thing("artifactLocation", artifactLocation=thing("uri", uri=uri),
                 region=thing("startLine", startLine=number(1)))
LOCATION = thing("", physicalLocation=PHYSICAL, message=MESSAGE,
                 logicalLocations=list_of(thing("", name=text, kind=text)))
STACK = thing("frames", frames=list_of(thing("", location=LOCATION, module=text)))
FLOW_LOCATION = thing("", location=LOCATION, stack=STACK, executionOrder=number(-1),
                      importance=words("important", "essential", "unimportant"))
THREAD_FLOW = thing("locations", id=text, locations=list_of(FLOW_LOCATION, 1))
CODE_FLOW = thing("threadFlows", threadFlows=list_of(THREAD_FLOW, 1))
SUPPRESSION = thing("kind", kind=words("inSource", "external"), justification=text)
RESULT = thing("message", ruleId=text, ruleIndex=number(0), level=words(*LEVELS), message=MESSAGE,
               locations=list_of(LOCATION), codeFlows=list_of(CODE_FLOW),
               partialFingerprints=texts, suppressions=list_of(SUPPRESSION),
               baselineState=words("new", "unchanged", "updated", "absent"),
               occurrenceCount=number(1), properties=bag)
RULE = thing("id", id=text, name=text, shortDescription=MESSAGE,
             defaultConfiguration=thing("", level=words(*LEVELS)))
TOOL = thing("driver", driver=thing("name", name=text, version=text, rules=list_of(RULE)))
NOTIFICATION = thing("message", level=words(*LEVELS), message=MESSAGE)
INVOCATION = thing("executionSuccessful", executionSuccessful=flag,
                   toolExecutionNotifications=list_of(NOTIFICATION))
RUN = thing("tool", tool=TOOL, invocations=list_of(INVOCATION), results=list_of(RESULT),
            columnKind=words("utf16CodeUnits", "unicodeCodePoints"))
LOG = thing("version runs", **{"$schema": text, "version": words("2.1.0"), "runs": list_of(RUN)})


def check(log):
    """Raise Invalid where @log breaks a rule."""
    LOG(log, "$")
    for run in log["runs"]:
        rules = run["tool"]["driver"]["rules"]
        ids = [rule["id"] for rule in rules]
        need(len(ids) == len(set(ids)), "$.rules", "have one id twice")
        for result in run["results"]:
            need(rules[result["ruleIndex"]]["id"] == result["ruleId"], "$.results",
                 "ruleIndex and ruleId disagree")
            orders = [at["executionOrder"] for flow in result.get("codeFlows", ())
                      for thread in flow["threadFlows"] for at in thread["locations"]
                      if "executionOrder" in at]
            need(len(orders) == len(set(orders)), "$.results", "two steps at one time")
