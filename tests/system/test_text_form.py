#!/usr/bin/env python3
"""The text form of recorded traces: accepted again, and stable."""

import json

import harness


def without_comments(text):
    return [line.split("  #")[0] for line in text.splitlines()]


class TextForm(harness.SystemTest):
    programs = ("order.c", "bugs/lost_update.c", "mutex/abba_deadlock.c", "cond/missed_signal.c",
                "cond/bounded_queue.c", "rwlock/rwlock_shared.c", "sem/sem_counts.c",
                "barrier/barrier_rounds.c", "atomics/counters.c", "atomics/futex_lock.c",
                "cancel/cancel_points.c", "once/once_cancelled.c", "mutex/mutex_robust_waiter.c",
                "bugs/use_after_free.c", "cxx/std_future.cpp",
                "mutex/mutex_recursive.c", "scale/thousand_at_once.c", "process/fork_in_thread.c")

    @classmethod
    def build(cls, source, name, *flags):
        return super().build(source, name, "-mcx16", "-latomic", *flags)

    def export(self, trace, form="--text"):
        return self.heddle("trace", "export", form, trace, status=0).stdout

    def record(self, name, seed, *options):
        trace = self.path("t.htr")
        self.run_json("run", "--seed", str(seed), *options, "--record", trace, "--", self.binary[name])
        return trace

    def import_text(self, text, *options):
        with open(self.path("t.txt"), "w", encoding="utf-8") as file:
            file.write(text)
        self.heddle("trace", "import", *options, self.path("t.txt"), "-o", self.path("i.htr"),
                    status=0)
        return self.path("i.htr")

    def test_text_is_stable(self):
        for name in self.binary:
            for options in ((), ("--switch-at", "accesses"), ("--calls", "--record-exact")):
                if name == "thousand_at_once" and options:
                    continue
                with self.subTest(name, options=options):
                    text = self.export(self.record(name, 3, *options))
                    self.assertGreater(len(text.splitlines()), 5)
                    again = self.export(self.import_text(text))
                    self.assertEqual(without_comments(text), without_comments(again))
                    self.assertEqual(again, self.export(self.import_text(again)))

    def test_events_are_the_same(self):
        for name in ("order", "lost_update", "bounded_queue"):
            with self.subTest(name):
                trace = self.record(name, 5)
                first = self.info(trace)
                second = self.info(self.import_text(self.export(trace)))
                self.assertEqual(first["threads"], second["threads"])
                # In text, what printf reads of a string is a read of each byte that anybody wrote.
                first["by_kind"]["read"] += {"order": 4 * 8}.get(name, 0)
                # Text also has the writes that heddle did not see but that later reads show.
                for kind in ("read", "acquire", "release", "fork", "join"):
                    self.assertEqual(first["by_kind"].get(kind), second["by_kind"].get(kind), kind)

    def test_import_from_standard_input(self):
        text = self.export(self.record("order", 2))
        self.heddle("trace", "import", "-", "-o", self.path("i.htr"), status=0, stdin=None,
                    input=text)
        self.assertEqual(without_comments(self.export(self.path("i.htr"))),
                         without_comments(text))

    def test_std_is_accepted(self):
        for name in ("order", "lost_update", "bounded_queue", "rwlock_shared"):
            with self.subTest(name):
                text = self.export(self.record(name, 3), "--std")
                self.assertGreater(len(text.splitlines()), 5)
                self.assertRegex(text.splitlines()[0], r"^T\d+\|\w+\([^)]*\)\|")
                again = self.export(self.import_text(text, "--std"), "--std")
                self.assertEqual(len(again.splitlines()), len(text.splitlines()))

    def test_chrome_is_json(self):
        for name in ("order", "abba_deadlock"):
            document = json.loads(self.export(self.record(name, 3), "--chrome"))
            events = document["traceEvents"] if isinstance(document, dict) else document
            self.assertGreater(len(events), 5)
            self.assertTrue(all("ph" in event for event in events))

    def test_impossible_run_is_refused(self):
        """An unlock that never happened, put into a recorded run."""
        lines = self.export(self.record("lost_update", 3)).splitlines()
        number = next(i for i, line in enumerate(lines) if " acquire " in line)
        lines[number] = lines[number].replace(" acquire ", " release ", 1)
        with open(self.path("bad.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        done = self.heddle("trace", "import", self.path("bad.txt"), "-o", self.path("bad.htr"),
                           status=2)
        self.assertIn(str(number + 1), done.stderr)


harness.main()
