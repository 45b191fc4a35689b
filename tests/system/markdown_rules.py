"""What holds of every summary in Markdown, whatever the names in it are.

check() takes code away as CommonMark and GitHub's tables read it, by rules written here apart from the
writer's; what is left must be words and marks that heddle itself writes.
"""

import re

SPELLED = re.compile(r"<code>(?:[\w '(),+=;%/-]|[^\x00-\x7f]|&#[0-9]+;)*</code>")
SPAN = re.compile(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)")
SUMMARY = re.compile(r"<summary>[0-9]+: CODE</summary>")
ROW = re.compile(r"\| [0-9]+ \| CODE \| (?:CODE)? \| (?:CODE)? \|")
OWN = re.compile(r"(?:### Heddle: [\w ,]+|[\w :,.]*(?:CODE[\w :,.]*)*)")
FIXED = {"", "<details>", "</details>", "| # | finding | where | verdict |",
         "| ---: | --- | --- | --- |"}


class Invalid(Exception):
    pass


def without_blocks(lines):
    """The lines outside of fenced code."""
    fence = None
    for line in lines:
        mark = re.match(r"(`{3,})(\w*)$", line)
        if fence is None and mark:
            fence = len(mark[1])
        elif fence is not None and mark and not mark[2] and len(mark[1]) >= fence:
            fence = None
        elif fence is None:
            yield line
    if fence is not None:
        raise Invalid("a block of code has no end")


def cells(line):
    """A bar ends a cell unless a backslash is before it: so a row has five."""
    return len(re.findall(r"(?:\\.|[^|\\])*\|", line))


def check(text):
    """Raise Invalid unless all that is not heddle's own is code."""
    html, opened = False, 0
    for line in without_blocks(text.splitlines()):
        opened += (line == "<details>") - (line == "</details>")
        html = (html or line.startswith("<details>")) and line != ""
        bare = SPELLED.sub("CODE", line)
        if line.startswith("|") and cells(line) != 5:
            raise Invalid(f"a row of {cells(line) - 1} cells: {line}")
        if not html: # in HTML there are no spans
            bare = SPAN.sub("CODE", bare)
        if bare in FIXED or SUMMARY.fullmatch(bare) or ROW.fullmatch(bare) or OWN.fullmatch(bare):
            continue
        raise Invalid(f"not code and not heddle's: {line!r}")
    if opened:
        raise Invalid("details without an end")
