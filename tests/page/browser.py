"""Chromium, driven from here: pages, mouse and keys, by its own protocol over a pipe.

Needs nothing but chromium and Python. Selectors are those of CSS; where several elements match, the
first is meant unless an index says otherwise. Actions wait until the page has drawn what follows from
them. What a page must not do (an exception, a request to anywhere but its file) is in Page.problems.
"""
import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

LIMIT = 60  # seconds after which the browser counts as hanging
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-extensions", "--hide-scrollbars", "--force-color-profile=srgb",
         "--password-store=basic", "--remote-debugging-pipe")
# Chromium reads commands from file 3 and answers in file 4.
START = """import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])"""

# In the page: the elements that a selector and a text choose, whether one is to be seen, where it is.
HELPERS = """
const all = (selector, text) => [...document.querySelectorAll(selector)].filter(
	e => !text || e.innerText.includes(text));
const one = (selector, n, text) => {
	const found = all(selector, text), e = found[n < 0 ? found.length + n : n];
	if (!e)
		throw new Error("nothing matches " + selector + (text ? " with " + text : ""));
	return e;
};
const seen = e => {
	const box = e.getBoundingClientRect();
	return box.width > 0 && box.height > 0 && e.checkVisibility({ visibilityProperty: true });
};
const box = e => { const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; };
"""
DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
KEYS = {"Home": 36, "End": 35, "ArrowUp": 38, "ArrowDown": 40}


def find_chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Problem(Exception):
    """The browser, or a script in the page, says no."""


class Browser:
    """with Browser(PATH) as browser: page = browser.open(FILE)"""

    def __init__(self, path):
        self.path, self.pages, self.number, self.buffer = path, {}, 0, b""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="heddle-browser-")
        self.log = open(os.path.join(self.profile.name, "log"), "w+b")
        theirs, self.commands = os.pipe()
        self.answers, also_theirs = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs, also_theirs)]
        self.child = subprocess.Popen(
            [sys.executable, "-c", START, *map(str, ends), self.path, *FLAGS,
             "--user-data-dir=" + os.path.join(self.profile.name, "data"), "about:blank"],
            pass_fds=ends, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env=dict(os.environ, HOME=self.profile.name))
        for end in (theirs, also_theirs, *ends):
            os.close(end)
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.child.wait(LIMIT)
        except (Problem, OSError, subprocess.TimeoutExpired):
            self.child.kill()
            self.child.wait()
        os.close(self.commands)
        os.close(self.answers)
        self.log.close()
        shutil.rmtree(self.profile.name, ignore_errors=True)  # its helpers may still write there
        self.profile.cleanup()

    def message(self, deadline):
        """The next answer or event."""
        while b"\0" not in self.buffer:
            ready = select.select([self.answers], [], [], max(0, deadline - time.monotonic()))[0]
            data = os.read(self.answers, 1 << 16) if ready else b""
            if not data:
                self.log.seek(0)
                said = self.log.read()[-2000:].decode(errors="replace")
                raise Problem(f"chromium {'ended' if ready else 'does not answer'}:\n{said}")
            self.buffer += data
        first, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(first)

    def call(self, method, session=None, **params):
        self.number += 1
        number, command = self.number, {"id": self.number, "method": method, "params": params}
        if session:
            command["sessionId"] = session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        deadline = time.monotonic() + LIMIT
        while True:
            message = self.message(deadline)
            if message.get("id") == number:
                break
            self.event(message)
        if "error" in message:
            raise Problem(f"{method}: {message['error']['message']}")
        return message["result"]

    def event(self, message):
        page = self.pages.get(message.get("sessionId"))
        if page and "method" in message:
            page.event(message["method"], message["params"])

    def open(self, file, **options):
        """A page with a profile of its own; options as of Page."""
        page = Page(self, **options)
        page.go(file)
        return page


class Page:
    def __init__(self, browser, *, dark=False, scripts=True, permissions=(), before=""):
        self.browser, self.scripts = browser, scripts
        self.problems, self.loaded = [], False
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call("Target.createTarget", url="about:blank",
                              browserContextId=self.context)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=1300, height=900, deviceScaleFactor=1,
                  mobile=False)
        self.scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.media("screen")
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        if permissions:
            browser.call("Browser.grantPermissions", permissions=list(permissions),
                         browserContextId=self.context)
        if before:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=before)

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def event(self, method, params):
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith(("file:", "data:")):
                self.problems.append("asked for " + url)

    def go(self, file):
        self.loaded = False
        told = self.call("Page.navigate", url=pathlib.Path(file).resolve().as_uri())
        if told.get("errorText"):
            raise Problem(told["errorText"])
        deadline = time.monotonic() + LIMIT
        while not self.loaded:
            self.browser.event(self.browser.message(deadline))
        self.settle()

    def close(self):
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)
        del self.browser.pages[self.session]

    def media(self, kind):
        self.call("Emulation.setEmulatedMedia", media=kind, features=self.scheme)

    def settle(self):
        if self.scripts:
            self.js(DRAWN)

    # ---- looking ----

    def js(self, expression):
        """The value of an expression, or of the promise that it is."""
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                         awaitPromise=True, userGesture=True)
        if "exceptionDetails" in done:
            details = done["exceptionDetails"]
            raise Problem(details.get("exception", {}).get("description") or details["text"])
        return done["result"].get("value")

    def look(self, expression, *args):
        """The same, with the helpers and arguments $0, $1, ..."""
        names = ", ".join(f"${i}" for i in range(len(args)))
        return self.js("((%s) => {%s return %s; })(%s)" % (
            names, HELPERS, expression, ", ".join(json.dumps(a) for a in args)))

    def wait(self, selector, text=None):
        """Until there is one to be seen."""
        deadline = time.monotonic() + LIMIT
        while not self.look("all($0, $1).some(seen)", selector, text):
            if time.monotonic() > deadline:
                raise Problem(f"{selector} does not appear")
            self.settle()

    def count(self, selector):
        return self.look("all($0).length", selector)

    def count_seen(self, selector):
        return self.look("all($0).filter(seen).length", selector)

    def seen(self, selector, n=0):
        return self.look("seen(one($0, $1))", selector, n)

    def text(self, selector, n=0):
        """As it is rendered."""
        return self.look("one($0, $1).innerText", selector, n)

    def texts(self, selector):
        return self.look("all($0).map(e => e.innerText)", selector)

    def content(self, selector, n=0):
        """As it is in the document; also of what is drawn, not written."""
        return self.look("one($0, $1).textContent", selector, n)

    def contents(self, selector):
        return self.look("all($0).map(e => e.textContent)", selector)

    def box(self, selector, n=0):
        """x, y, width, height"""
        return self.look("box(one($0, $1))", selector, n)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    # ---- acting ----

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def hover(self, selector, n=0, text=None):
        """Put the mouse on it, which must then be what is under the mouse."""
        self.look("one($0, $1, $2).scrollIntoView({ block: 'center', behavior: 'instant' })",
                  selector, n, text)
        self.settle()
        x, y, width, height = self.look("box(one($0, $1, $2))", selector, n, text)
        x, y = x + width / 2, y + height / 2
        if not self.look("one($0, $1, $2).contains(document.elementFromPoint($3, $4))", selector, n, text,
                         x, y):
            raise Problem(f"{selector} is covered by something else")
        self.mouse("mouseMoved", x, y)
        self.settle()
        return x, y

    def click(self, selector, n=0, text=None):
        x, y = self.hover(selector, n, text)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.settle()

    def focus(self, selector, n=0):
        self.look("one($0, $1).focus()", selector, n)

    def press(self, key):
        more = {"windowsVirtualKeyCode": KEYS.get(key, ord(key[0].upper()))}
        if len(key) == 1:
            more["text"] = key
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key,
                      code=key if key in KEYS else "Key" + key.upper(), **more)
        self.settle()

    def type(self, selector, text):
        """In place of what a field holds."""
        self.look("(one($0, 0).focus(), one($0, 0).select())", selector)
        self.call("Input.insertText", text=text)
        self.settle()

    def choose(self, selector, value):
        """An option of a list."""
        self.look("(e => { if (![...e.options].some(o => o.value === $1)) throw new Error('no option ' + $1);"
                  " e.value = $1; e.dispatchEvent(new Event('input', { bubbles: true }));"
                  " e.dispatchEvent(new Event('change', { bubbles: true })); })(one($0, 0))",
                  selector, value)
        self.settle()

    def tick(self, label, wanted):
        """A box with that label, first one."""
        inside = "one('label', 0, $0)"
        state = f"({inside}.control).checked"
        if self.look(state, label) != wanted:
            self.click("label", 0, label)
        if self.look(state, label) != wanted:
            raise Problem(f"'{label}' stays as it is")
