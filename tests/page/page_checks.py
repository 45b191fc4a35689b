"""The page of --html in a real Chromium: what is clicked, and what must then be seen.

run() prints a line for each check and returns how many fail.
"""
import os
import re
import traceback

import browser

CHOSEN = ".event.chosen"
SUMMARY = "details.finding > summary"
CHECKS = []


def check(what):
    def add(function):
        CHECKS.append((what, function))
        return function
    return add


def matches(text, pattern):
    assert re.search(pattern, text), f"/{pattern}/ is not in: {text}"


def equal(one, other):
    assert one == other, f"{one!r} is not {other!r}"


class Pages:
    """Opens pages of a folder; closing one makes sure that it did nothing wrong."""

    def __init__(self, chromium, folder):
        self.chromium, self.folder, self.opened = chromium, folder, []

    def open(self, name, **options):
        self.opened.append(self.chromium.open(os.path.join(self.folder, name), **options))
        return self.opened[-1]

    def close(self):
        for page in self.opened:
            equal(page.problems, [])
            page.close()


@check("the bank's finding is open, with its first access chosen")
def bank(pages):
    page = pages.open("bank.html")
    equal(page.count("details.finding[open]"), 1)
    matches(page.text(SUMMARY), r"confirmed\s+atomicity violation on 'balance' \(RWW\)")
    page.wait(CHOSEN)
    matches(page.text(CHOSEN), r"^e1 read balance 100 bank_transfer\.c:18")
    matches(page.text(".source .now"), "int now = balance;")
    assert page.seen(".source .now")


@check("a lane for each thread, switches as arrows, locks as bars, three accesses marked")
def lanes(pages):
    page = pages.open("bank.html")
    page.wait(CHOSEN)
    equal([text for text in page.texts(".heads div") if text], ["T1", "T2", "T3"])
    assert page.count("svg path.switch") >= 2
    equal(page.content("svg rect.lock title"), "holds lock")
    page.focus(".scroll")
    roles = []
    for key in ("Home", "n", "n", "n"):
        page.press(key)
        equal(page.count(CHOSEN), 1)
        roles.append(page.text(CHOSEN).split(" ")[0])
    equal(roles[1:], ["e1", "f", "e2"])
    # The lane of an event is that of its thread: f's is to the right of e2's.
    e2 = page.box(CHOSEN)
    page.press("p")
    f = page.box(CHOSEN)
    assert f[0] > e2[0] + 100, (f, e2)


@check("keys step forwards and backwards, and what is chosen is told beside it")
def keys(pages):
    page = pages.open("bank.html")
    page.wait(CHOSEN)
    page.focus(".scroll")
    page.press("ArrowDown")
    matches(page.text(CHOSEN), "^release lock")
    matches(page.text(".side table"), "release")
    matches(page.text(".source .now"), "pthread_mutex_unlock")
    page.press("ArrowUp")
    matches(page.text(".side table"), r"value\s+100")
    matches(page.text(".side table"), r"holds\s+lock")
    page.press("End")
    page.press("ArrowDown")  # there is nothing below
    equal(page.count(CHOSEN), 1)


@check("hovering shows the value and the stack; a click chooses; a frame shows its source")
def hover(pages):
    page = pages.open("bank.html")
    page.wait(CHOSEN)
    write = "f write balance 107"
    page.hover(".event", text=write)
    tip = page.text("#tip")
    matches(tip, "T3 write balance = 107")
    matches(tip, r"#1 deposit bank_transfer\.c:32")
    page.click(".event", text=write)
    matches(page.text(CHOSEN), "^f write")
    matches(page.text(".source .now"), "balance = value;")
    page.click(".stack a", 1)
    matches(page.text(".source .now"), r"set_balance\(get_balance\(\)")


@check("the replay command is copied")
def copied(pages):
    page = pages.open("bank.html", permissions=("clipboardReadWrite", "clipboardSanitizedWrite"))
    page.click(".command button")
    page.wait("button", "copied")
    matches(page.js("navigator.clipboard.readText()"),
            r"^heddle replay .*atomicity-[0-9a-f]{8}\.htr -- ")
    matches(page.text(".command code", 1), "^heddle replay --gdb ")


@check("fewer events on request")
def fewer(pages):
    page = pages.open("bank.html")
    page.wait(CHOSEN)
    before = page.count(".event")
    page.tick("all events", False)
    after = page.count(".event")
    assert 3 <= after < before, (before, after)
    matches(page.text(CHOSEN), "^e1 read")


@check("parts of heap blocks and locks in them have names; book-keeping is folded away; time is for people")
def heap(pages):
    page = pages.open("cache.html")
    matches(page.text(SUMMARY), r"data race on 'item\.hits\[2\]' in a heap block of 20 bytes")
    page.wait(CHOSEN)
    equal(page.content("svg rect.lock title"), "holds cache.lock")
    shown = "\n".join(page.js("[...document.querySelector('.lanes').timeline.rows].map(e => "
                              "`${e.op} ${e.object} ${e.value}`)"))
    for row in (r"^acquire cache\.lock", r"^read cache\.first 0x[0-9a-f]+$", r"^sleep  2\.5 ms$", r"^write item\.hits\[2\] 1$"):
        matches(shown, "(?m)" + row)
    assert not re.search("(?m)^(alloc|locals|thread-begin|thread-end)", shown), shown
    before = page.count(".event")
    page.tick("book-keeping", True)
    assert page.count(".event") > before


@check("a long line is cut where the drawing ends, not where its lane does")
def room(pages):
    page = pages.open("cache.html")
    page.wait(CHOSEN)
    cut = page.js("[...document.querySelectorAll('.event')].filter(e => e.scrollWidth > e.clientWidth && "
                  "e.getBoundingClientRect().right < e.closest('.canvas').getBoundingClientRect().right - 20).length")
    equal(cut, 0)


@check("an older value is marked as one")
def older(pages):
    page = pages.open("older.html")
    page.wait(CHOSEN)
    matches(page.text(".event.older"), r"^atomic-load data 0, an older value relaxed_flag\.c:24")
    equal(page.count(".event.older"), 1)


@check("filters by kind, verdict and file, and search")
def filters(pages):
    page = pages.open("many.html")
    findings = "details.finding"
    equal(page.count_seen(findings), 1000)
    page.choose("#filter-kind", "deadlock")
    equal(page.count_seen(findings), 250)
    matches(page.text("#shown"), "^250 of 1000")
    page.choose("#filter-verdict", "confirmed")
    equal(page.count_seen(findings), 126)  # 63 of 125 groups of eight, two each
    page.choose("#filter-kind", "")
    page.choose("#filter-verdict", "")
    page.choose("#filter-file", "two.c")
    equal(page.count_seen(findings), 500)
    page.type("#search", "number 777 ")
    equal(page.count_seen(findings), 1)


@check("a thousand findings stay usable: opening and filtering take no long time")
def thousand(pages):
    page = pages.open("many.html")
    nodes = page.js("document.getElementsByTagName('*').length")
    assert nodes < 20000, f"{nodes} elements"
    page.click(SUMMARY, 500)
    page.wait("details.finding[open] .command")


@check("a run of ten thousand events: only what is in sight is drawn")
def long_run(pages):
    page = pages.open("long.html")
    page.wait(CHOSEN)
    page.tick("all events", True)
    assert page.js("document.querySelector('.lanes').timeline.rows.length") > 10000
    assert page.count(".event") < 80
    page.focus(".scroll")
    page.press("End")
    assert int(page.text(".number", -1)) > 9000
    page.press("Home")
    assert page.count(".event") < 80
    page.press("n")
    matches(page.text(CHOSEN), "^e1 ")


@check("the tree of tasks and the set of variables are drawn")
def drawings(pages):
    tasks = pages.open("tasks.html")
    tasks.wait("svg.tasks")
    assert tasks.count("svg.tasks .step") >= 2
    matches(tasks.content("svg.tasks"), "finish")
    variables = pages.open("set.html")
    variables.wait("svg.set")
    equal(variables.contents("svg.set .member text"), ["low", "high"])
    equal(variables.count("svg.set line.apart"), 2)  # the two, and the legend's


@check("the run of a deadlock ends with who waits for what")
def deadlock(pages):
    page = pages.open("deadlock.html")
    matches(page.text(SUMMARY), "deadlock: T2 waits for mutex")
    page.wait(CHOSEN)
    matches(page.text(CHOSEN), r"^\* waits for mutex 'bob\.lock' held by T3")
    matches(page.text(".side table"),
            r"(?s)at the end\s+waits for mutex 'bob\.lock'.*holds\s+alice\.lock")
    matches(page.text(".source .now"), r"pthread_mutex_lock\(&to->lock\)")
    page.focus(".scroll")
    page.press("n")
    matches(page.text(CHOSEN), r"^\* waits for mutex 'alice\.lock' held by T2")


@check("light and dark")
def schemes(pages):
    page = pages.open("bank.html", dark=True)
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.js(paper)
    page.click("#theme")
    light = page.js(paper)
    assert dark != light
    equal(light, "rgb(255, 255, 255)")


@check("without scripts it is readable as text")
def no_scripts(pages):
    page = pages.open("bank.html", scripts=False)
    assert page.seen("pre.text")
    matches(page.text("pre.text"), "HEDDLE: atomicity violation on 'balance'")
    many = pages.open("many.html", scripts=False)
    assert not many.seen("pre.text")
    many.click(SUMMARY)
    assert many.seen("pre.text")


@check("on paper every finding is told")
def paper(pages):
    page = pages.open("many.html")
    page.media("print")
    assert not page.seen("#tools")
    heights = [page.box("details.finding", i)[3] for i in (0, 500, 999)]
    assert min(heights) > 200, heights


@check("hostile names are only text")
def hostile(pages):
    page = pages.open("hostile.html")
    equal(page.js("typeof window.broken"), "undefined")
    matches(page.text(SUMMARY), "<script>")


def screenshots(chromium, folder, where):
    for name in ("bank", "cache", "older", "tasks", "set", "many", "long"):
        for scheme in ("light", "dark"):
            page = chromium.open(os.path.join(folder, name + ".html"), dark=scheme == "dark")
            page.screenshot(os.path.join(where, f"{name}-{scheme}.png"))
            page.close()


def run(path, folder, where=None):
    failed = 0
    with browser.Browser(path) as chromium:
        for what, function in CHECKS:
            pages = Pages(chromium, folder)
            try:
                function(pages)
                pages.close()
                print("ok      " + what, flush=True)
            except (AssertionError, browser.Problem):
                failed += 1
                print(f"FAILED  {what}\n{traceback.format_exc()}", flush=True)
        if where:
            screenshots(chromium, folder, where)
    return failed
