#!/usr/bin/env python3
"""Time orders nothing, the end of the process is an event, and a livelock is one for ever: programs
that say so, and their twins."""

import os

import harness

FULL = bool(os.environ.get("HEDDLE_TEST_FULL"))
SLEEPS = ("usleep", "nanosleep", "clock_nanosleep", "poll", "select", "semaphore", "mutex",
          "condition")
ENDS = ("return", "exit", "_exit", "quick_exit", "thread-exit", "thread-_exit", "detached")
LOOKS = ("poll", "read", "recv", "select", "epoll", "signal", "poll-signal")
PROVERS = ("dpor", "naive", "bounded")
SAMPLERS = ("random", "pct")


class Time(harness.SystemTest):
    programs = ("time_order.c", "process_end.c", "stop_flag.c", "past_deadline.c", "looks.c")

    def explore(self, strategy, name, *args, status):
        samples = ("--executions", "200") if strategy in SAMPLERS else ()
        document, done = self.run_json("explore", "--strategy", strategy, *samples, "--time", "30",
                                       "--preemptions", "1000", "--output", self.path("out"), "--",
                                       self.binary[name], *args, status=status)
        return document, done.stdout + done.stderr

    def kinds(self, document):
        return {f["kind"] for f in document["findings"]}

    def fails_in_all(self, name, *args):
        for strategy in PROVERS + SAMPLERS:
            document, said = self.explore(strategy, name, *args, status=1)
            self.assertEqual(self.kinds(document), {"assertion"}, (strategy, args, said))

    def holds_in_all(self, name, *args):
        for strategy in PROVERS:
            document, said = self.explore(strategy, name, *args, status=0)
            self.assertTrue(document["stats"]["complete"], (strategy, args, said))

    def turns(self, things):
        return things if FULL else things[::3]

    def test_sleeping_is_no_order(self):
        for how in SLEEPS:
            document, said = self.explore("dpor", "time_order", how, status=1)
            self.assertEqual(self.kinds(document), {"assertion"}, (how, said))
            document, said = self.explore("dpor", "time_order", how, "good", status=0)
            self.assertTrue(document["stats"]["complete"], (how, said))
        for how in self.turns(SLEEPS):
            self.fails_in_all("time_order", how)
            self.holds_in_all("time_order", how, "good")

    def test_a_look_in_vain_is_an_operation(self):
        """Whether a descriptor is ready depends on who comes first, even if it is only looked at."""
        for how in LOOKS:
            for when, relies_on in (("now", "early"), ("wait", "late")):
                document, said = self.explore("dpor", "looks", how, when, relies_on, status=1)
                self.assertEqual(self.kinds(document), {"assertion"}, (how, when, said))
            document, said = self.explore("dpor", "looks", how, "now", "good", status=0)
            self.assertTrue(document["stats"]["complete"], (how, said))

    def test_what_shows_is_replayed(self):
        document, _ = self.explore("dpor", "time_order", "nanosleep", status=1)
        again, _ = self.run_json("replay", document["findings"][0]["schedule"], status=1)
        self.assertIsNone(again["divergence"])
        self.assertEqual(self.kinds(again), {"assertion"})

    def test_ends_cut_nothing_off(self):
        for how in ENDS:
            document, said = self.explore("dpor", "process_end", how, status=1)
            self.assertEqual(self.kinds(document), {"assertion"}, (how, said))
            document, said = self.explore("dpor", "process_end", how, "good", status=0)
            self.assertTrue(document["stats"]["complete"], (how, said))
        for how in self.turns(ENDS):
            self.fails_in_all("process_end", how)
            self.holds_in_all("process_end", how, "good")

    def test_work_for_a_while_in_many_runs(self):
        """There are more schedules than can be tried: the budget ends it, and nothing is wrong."""
        document, done = self.run_json("explore", "--time", "2", "--output", self.path("out"), "--",
                                       self.binary["stop_flag"], "atomic", status=4)
        self.assertEqual(document["findings"], [], done.stderr)
        self.assertNotIn("out of memory", done.stderr)

    def test_nobody_says_stop(self):
        for how in ("atomic", "yield"):
            for command in (("run",), ("explore", "--output", self.path("out"))):
                document, done = self.run_json(*command, "--", self.binary["stop_flag"], how,
                                               "never", status=1)
                self.assertEqual(self.kinds(document), {"livelock"}, (how, command, done.stderr))

    def test_work_for_a_while(self):
        for how in ("atomic", "yield", "lock"):
            document, _ = self.run_json("run", "--", self.binary["stop_flag"], how, status=0)
            self.assertEqual(document["findings"], [], how)
        document, _ = self.run_json("run", "--", self.binary["stop_flag"], "plain", status=1)
        self.assertEqual(self.kinds(document), {"race"})

    def test_deadline_that_is_past(self):
        for command in (("run",), ("check", "-k"), ("explore",)):
            more = () if command == ("run",) else ("--output", self.path("out"))
            document, done = self.run_json(*command, *more, "--", self.binary["past_deadline"],
                                           status=0)
            self.assertEqual(document["findings"], [], (command, done.stderr))
        # What run cannot prove, it does not say; but it ends.
        document, done = self.run_json("run", "--", self.binary["past_deadline"], "never")
        self.assertIn((done.returncode, self.kinds(document)), ((1, {"livelock"}), (4, set())))
        document, done = self.run_json("explore", "--output", self.path("out"), "--",
                                       self.binary["past_deadline"], "never", status=1)
        self.assertEqual(self.kinds(document), {"livelock"}, done.stderr)


if __name__ == "__main__":
    harness.main()
