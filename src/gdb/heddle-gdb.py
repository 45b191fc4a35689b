"""Commands of `heddle replay --gdb`: a recorded run in gdb, forwards and backwards.

heddle runs the program's threads one at a time, by a schedule, and counts its decisions. A place
in the run is the number of decisions before it, which is the same every time; going back is
starting again and stopping earlier. The runtime calls heddle_debug_stopped() where it was asked to.
"""
import os

import gdb

STARTED, STOPPED = "heddle_debug_started", "heddle_debug_stopped"
BLOCKED, ENDED = 1, 2  # enum hd_fiber_state
RUNTIME = ("libheddle", "libc.so", "libpthread", "ld-linux")


class Switch:
    """A decision by which another thread ran."""

    def __init__(self, number, source, target, place):
        self.number, self.source, self.target, self.place = number, source, target, place

    def __str__(self):
        return f"switch {self.number}: {self.source} -> {self.target}, {self.source} at {self.place}"


class Mark:
    """An access that the finding is about."""

    def __init__(self, number, switches, fields, place):
        self.number, self.switches = number, switches
        self.role, self.thread, choices, pc, nth, self.op = fields
        self.choices, self.pc, self.nth = int(choices), int(pc, 16), int(nth)
        self.place = place

    def __str__(self):
        return f"access {self.number} ({self.role}): {self.thread} {self.op} at {self.place}"


class Guide:
    """What the command found out about the schedule."""

    def __init__(self):
        self.entries, self.switches, self.marks = [], [], []
        fd = os.environ.pop("HEDDLE_GUIDE_FD", None)
        gdb.execute("unset environment HEDDLE_GUIDE_FD")
        if fd is None:
            return
        with os.fdopen(int(fd), encoding="utf-8", errors="replace") as lines:
            for line in lines:
                self.take(line.rstrip("\n"))

    def take(self, line):
        if line.startswith("switch "):
            _, source, target, place = line.split(" ", 3)
            entry = Switch(len(self.switches) + 1, source, target, place)
            self.switches.append(entry)
        else:
            fields = line.split(" ", 7)
            entry = Mark(len(self.marks) + 1, len(self.switches), fields[1:7], fields[7])
            self.marks.append(entry)
        self.entries.append(entry)


class AtStart(gdb.Breakpoint):
    """When the runtime is ready: tell it where to stop."""

    target = (0, 0)  # a decision, a switch; 0: none

    def stop(self):
        for name, value in zip(("stop_choice", "stop_switch"), AtStart.target):
            write(name, value)
        AtStart.target = (0, 0)
        return False


def set_breakpoints(event):
    """Ours need the runtime, which is loaded with the program."""
    if "libheddle.so" in event.new_objfile.filename:
        gdb.events.new_objfile.disconnect(set_breakpoints)
        AtStart(STARTED, internal=True).silent = True
        gdb.Breakpoint(STOPPED, internal=True).silent = True


def write(name, value):
    gdb.parse_and_eval(f"*(unsigned long *)&heddle_debug_{name} = {value}")


def read(name):
    return int(gdb.parse_and_eval(f"*(unsigned long *)&heddle_debug_{name}"))


def word(expression):
    return int(gdb.parse_and_eval(expression))


def describe(address):
    """ "lock", or the address where that has no name."""
    if not address:
        return ""
    text = gdb.execute(f"info symbol {address}", to_string=True)
    return f" {address:#x}" if text.startswith("No symbol") else " " + text.split(" in section")[0]


def alive():
    return gdb.selected_inferior().pid != 0


def need_life():
    if not alive():
        raise gdb.GdbError("The program is not running; `heddle goto N` starts it again.")


def is_ours(frame):
    library = gdb.solib_name(frame.pc()) or ""
    return any(name in os.path.basename(library) for name in RUNTIME)


def program_frame():
    """The innermost frame of the selected thread that is the program's own, or None."""
    frame = gdb.newest_frame()
    while frame is not None and frame.is_valid() and is_ours(frame):
        frame = frame.older()
    return frame


def number_of(thread):
    """How reports call a thread of gdb's."""
    if thread.ptid[0] == thread.ptid[1]:
        return "T1"
    return (thread.name or "?").split(" ")[0]


class Session:
    def __init__(self, guide):
        self.guide = guide
        self.at_switch = None  # the number of the switch that it was stopped after, if it was

    def go(self, *, choice=0, switch=0):
        """Run on, from the start if the place has passed, to a decision."""
        passed = not alive() or (choice and read("choices") >= choice) or \
            (switch and read("switches") >= switch)
        if passed:
            AtStart.target = (choice, switch)
            gdb.execute("run", to_string=True)
        else:
            write("stop_choice", choice)
            write("stop_switch", switch)
            gdb.execute("continue", to_string=True)
        return alive() and gdb.newest_frame().name() == STOPPED

    def to_switch(self, number):
        if number == 0:
            self.to_beginning()
            return
        if not self.go(switch=number):
            self.elsewhere(f"switch {number}")
            return
        self.at_switch = number
        known = number <= len(self.guide.switches)
        self.show(str(self.guide.switches[number - 1]) if known else f"switch {number}")

    def to_beginning(self):
        once = gdb.Breakpoint("main", internal=True, temporary=True)
        once.silent = True
        gdb.execute("run", to_string=True)
        self.at_switch = 0
        self.show("the beginning of main")

    def to_mark(self, mark):
        here = self.at_switch is None and alive() and read("choices") == mark.choices
        if mark.choices and (not here or gdb.selected_frame().pc() == mark.pc):
            if not self.go(choice=mark.choices):
                self.elsewhere(str(mark))
                return
        once = gdb.Breakpoint(f"*{mark.pc:#x}", internal=True, temporary=True)
        once.silent = True
        once.ignore_count = mark.nth - 1
        gdb.execute("continue" if mark.choices else "run", to_string=True)
        self.at_switch = None
        if alive() and gdb.newest_frame().pc() == mark.pc:
            self.show(f"before {mark}")
        else:
            self.elsewhere(str(mark))

    def elsewhere(self, wanted):
        self.at_switch = None
        if alive():
            print(f"heddle: stopped on the way to {wanted}")
            gdb.execute("frame")
        else:
            print(f"heddle: the program ended before {wanted}")

    def show(self, what):
        total = len(self.guide.switches)
        print(f"heddle: {what}")
        print(f"heddle: {number_of(gdb.selected_thread())} runs, after switch {read('switches')}"
              + (f" of {total}" if total else ""))
        frame = program_frame()
        if frame is None:
            print("heddle: it has not begun yet")
        else:
            frame.select()
            gdb.execute("frame")


class Command(gdb.Command):
    session = None

    def __init__(self, name):
        super().__init__(name, gdb.COMMAND_RUNNING)

    @staticmethod
    def number(text, default, most, what):
        if not text.strip():
            return default
        try:
            value = int(text)
        except ValueError:
            value = -1
        if value < 0 or (most and value > most):
            raise gdb.GdbError(f"There is no {what} {text.strip()}.")
        return value


class Heddle(gdb.Command):
    """A run that heddle recorded.

    heddle next      run on to the next switch of threads
    heddle prev      go back to the switch before this place
    heddle goto N    go to switch N; 0 is the beginning of main
    heddle access N  stop before the Nth access of the violation; without N: the next one
    heddle threads   all threads: where they are, and what they wait for
    heddle schedule  the switches and accesses of the run, and where this is
    """

    def __init__(self):
        super().__init__("heddle", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE, True)

    def invoke(self, argument, from_tty):
        print(self.__doc__)


class Help(Command):
    """What the commands do."""

    def invoke(self, argument, from_tty):
        print(Heddle.__doc__)


class Next(Command):
    """Run on to the next switch of threads."""

    def invoke(self, argument, from_tty):
        need_life()
        self.session.to_switch(read("switches") + 1)


class Prev(Command):
    """Go back to the switch before this place: the run starts again and stops there."""

    def invoke(self, argument, from_tty):
        if not alive():
            number = len(self.session.guide.switches)
        else:
            number = read("switches")
            if self.session.at_switch == number and gdb.newest_frame().name() == STOPPED:
                number -= 1
        if number < 0:
            raise gdb.GdbError("This is the beginning.")
        self.session.to_switch(number)


class Goto(Command):
    """Go to switch N, by starting again if it has passed; 0 is the beginning of main."""

    def invoke(self, argument, from_tty):
        if not argument.strip():
            raise gdb.GdbError("Which switch? `heddle schedule` lists them.")
        most = len(self.session.guide.switches)
        self.session.to_switch(self.number(argument, 0, most, "switch"))


class Access(Command):
    """Stop before the Nth access of the violation; without N: the next one."""

    def invoke(self, argument, from_tty):
        marks = self.session.guide.marks
        if not marks:
            raise gdb.GdbError("It is not known which accesses this run is about.")
        following = 1
        if alive():
            here = (read("choices"), gdb.newest_frame().pc())
            following = 1 + sum((m.choices, m.pc) == here or m.choices < here[0] for m in marks)
        if not argument.strip() and following > len(marks):
            raise gdb.GdbError("That was the last one; `heddle access 1` goes back.")
        number = self.number(argument, following, len(marks), "access")
        if not number:
            raise gdb.GdbError("They are counted from 1.")
        self.session.to_mark(marks[number - 1])


class Threads(Command):
    """All threads: where they are, and what they wait for."""

    def invoke(self, argument, from_tty):
        need_life()
        places = self.places()
        for name, state in self.states():
            mark = "*" if state == "running" else " "
            print(f"{mark} {name:5} {places.get(name, 'not begun'):40} {state}".rstrip())

    @staticmethod
    def states():
        """(number, state) of each thread, from the runtime's list of them."""
        following, number, state, why, what = (
            int(gdb.parse_and_eval(f"((unsigned *)&heddle_debug_layout)[{i}]")) for i in range(5))
        current = word("**(unsigned long **)&heddle_debug_current")
        fiber = word("**(unsigned long **)&heddle_debug_all")
        while fiber:
            name = f"T{word(f'*(unsigned *)({fiber} + {number})')}"
            kind = word(f"*(unsigned *)({fiber} + {state})")
            if fiber == current:
                yield name, "running"
            elif kind == BLOCKED:
                reason = word(f"*(unsigned *)({fiber} + {why})")
                text = gdb.parse_and_eval(f"((char **)&heddle_debug_waits)[{reason}]")
                where = word(f"*(unsigned long *)({fiber} + {what})")
                reason = text.string() if int(text) else "waits"
                yield name, reason + (describe(where) if " the " in reason else "")
            else:
                yield name, "ended" if kind == ENDED else "runnable"
            fiber = word(f"*(unsigned long *)({fiber} + {following})")

    @staticmethod
    def places():
        found = {}
        selected, frame = gdb.selected_thread(), gdb.selected_frame()
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            inner = program_frame()
            if inner is None:
                found[number_of(thread)] = f"[{thread.num}] not begun"
                continue
            line = inner.find_sal()
            place = inner.name() or "?"
            if line.symtab:
                place += f" {os.path.basename(line.symtab.filename)}:{line.line}"
            found[number_of(thread)] = f"[{thread.num}] {place}"
        selected.switch()
        frame.select()
        return found


class Schedule(Command):
    """The switches and accesses of the run; => is where it is now."""

    def invoke(self, argument, from_tty):
        here = read("switches") if alive() else -1
        pc = gdb.newest_frame().pc() if alive() else 0
        choices = read("choices") if alive() else -1
        if not self.session.guide.entries:
            print("A schedule as text has no places: only the number of the switch is known: "
                  f"{max(here, 0)}.")
        for entry in self.session.guide.entries:
            if isinstance(entry, Switch):
                current = entry.number == here
                print(f"{'=>' if current else '  '} {entry}")
            else:
                current = entry.choices == choices and entry.pc == pc
                print(f"{'=>' if current else '  '}     * {entry}")


def begin():
    for setting in ("confirm off", "pagination off", "breakpoint pending on",
                    "startup-with-shell off", "disable-randomization on",
                    "print thread-events off", "detach-on-fork on"):
        gdb.execute(f"set {setting}")
    gdb.execute("handle SIG32 SIG33 nostop noprint pass", to_string=True)
    gdb.events.new_objfile.connect(set_breakpoints)
    session = Session(Guide())
    Command.session = session
    Heddle()
    for name, command in (("help", Help), ("next", Next), ("prev", Prev), ("goto", Goto),
                          ("access", Access), ("threads", Threads), ("schedule", Schedule)):
        command(f"heddle {name}")
    print("heddle: a replay; `heddle help` lists its commands")
    if session.guide.marks:
        session.to_mark(session.guide.marks[0])
    elif session.guide.switches:
        session.to_switch(len(session.guide.switches))
    else:
        session.to_beginning()


begin()
