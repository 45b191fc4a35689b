#!/usr/bin/env python3
"""Races, torn blocks and lock cycles: found by `heddle run` and `heddle analyze`, told in every
format, suppressed, compared with a baseline; and what is clean is called clean.
"""

import json
import os
import re
import subprocess
import xml.etree.ElementTree

import harness
import json_schema
import markdown_rules
import sarif_rules

VARIANTS = {"racy": (), "clean": ("-DLOCKED",), "racy_heap": ("-DHEAP",),
            "split": ("-DLOCKED", "-DSPLIT"), "torn": ("-DLOCKED", "-DSPLIT", "-DBLOCK"),
            "crossed": ("-DLOCKED", "-DCROSSED"),
            "crossing": ("-DLOCKED", "-DCROSSED", "-DLOOSE")}

APART = """#include <pthread.h>
#include <stdlib.h>
struct tally { long sum; int count; };
static void *add(void *arg)
{
	struct tally *t = arg;
	t->count++;
	return 0;
}
int main(void)
{
	struct tally *t = calloc(1, sizeof *t);
	pthread_t a, b;
	pthread_create(&a, 0, add, t);
	pthread_create(&b, 0, add, t);
	pthread_join(a, 0);
	pthread_join(b, 0);
	free(t);
	return 0;
}
"""

MEMBERS = """#include <pthread.h>
#include <stdlib.h>
struct pair { int left, right, cells[4]; };
static void *use(void *arg)
{
	struct pair *p = arg;
	p->left++;
	if (p->left > 1)
		p->right = p->left;
	p->right++;
	for (int i = 0; i < 4; i++)
		p->cells[i]++;
	return 0;
}
int main(void)
{
	struct pair *p = calloc(1, sizeof *p);
	pthread_t a, b;
	pthread_create(&a, 0, use, p);
	pthread_create(&b, 0, use, p);
	pthread_join(a, 0);
	pthread_join(b, 0);
	free(p);
	return 0;
}
"""


class Findings(harness.SystemTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, flags in VARIANTS.items():
            cls.binary[name] = cls.build("ledger.c", name, *flags)
        with open(os.path.join(harness.ROOT, "docs", "reference", "findings.schema.json"),
                  encoding="utf-8") as file:
            cls.schema = json.load(file)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def document(self, *args, status=None, **more):
        document, done = self.run_json(*args, status=status, **more)
        json_schema.check(document, self.schema, self.schema)
        return document, done

    def record(self, name, seed=1, *options):
        """The trace of a run, whatever it found."""
        trace = self.path(f"{name}-{seed}.htr")
        self.heddle("run", "-q", "--seed", str(seed), "--record", trace, *options, "--",
                    self.binary[name])
        return trace

    def imported(self, text):
        self.write("run.txt", text)
        self.heddle("trace", "import", self.path("run.txt"), "-o", self.path("run.htr"), status=0)
        return self.path("run.htr")

    @staticmethod
    def kinds(document):
        return {f["kind"] for f in document["findings"]}


class Races(Findings):
    def test_twins_online(self):
        document, done = self.document("run", "--", self.binary["racy"], status=1)
        self.assertEqual(self.kinds(document), {"race"})
        for finding in document["findings"]:
            self.assertEqual(finding["variable"], "ledger[2].balance")
            self.assertEqual(finding["established"], "happens-before")
            self.assertEqual({a["thread"] for a in finding["accesses"]}, {"T2", "T3"})
            self.assertEqual({a["function"] for a in finding["accesses"]}, {"deposit"})
        self.assertIn("HEDDLE: data race on 'ledger[2].balance' (happens-before)\n", done.stderr)
        self.assertIn("\n  Previous ", done.stderr)
        self.assertIn("\n  T3 was created by T1 at:\n    #0 main ", done.stderr)
        self.assertRegex(done.stderr, r"\nSUMMARY: heddle: data race ledger\.c:\d+ in deposit\n")
        self.assertRegex(done.stderr, r"\n +\d+ \| ACCOUNT->balance \+= sum;\n")
        for seed in range(1, 6):
            self.heddle("run", "--seed", str(seed), "--", self.binary["clean"], status=0)

    def test_twins_in_a_trace(self):
        document, done = self.document("analyze", self.record("racy"), status=1)
        self.assertEqual(self.kinds(document), {"race"})
        self.assertIn("Interleaving", done.stdout)
        for finding in document["findings"]:
            self.assertTrue(all(a["event"] is not None for a in finding["accesses"]))
            steps = finding["interleaving"]
            self.assertEqual(sum(s["access"] for s in steps), 2)
            self.assertTrue(any(s["switch"] for s in steps))
        document, _ = self.document("analyze", self.record("clean"), status=0)
        self.assertEqual(document["findings"], [])

    BORROWED = """
            #include <pthread.h>
            #include <semaphore.h>
            static int *shared;
            static sem_t lent, back;
            THREAD_LOCAL
            static void *lend(void *arg)
            {
                LOCAL
                shared = &local;
                sem_post(&lent);
                local++;
                sem_wait(&back);
                return arg;
            }
            static void *borrow(void *arg)
            {
                sem_wait(&lent);
                ++*shared;
                sem_post(&back);
                return arg;
            }
            int main(void)
            {
                pthread_t t, u;
                sem_init(&lent, 0, 0);
                sem_init(&back, 0, 0);
                pthread_create(&t, NULL, lend, NULL);
                pthread_create(&u, NULL, borrow, NULL);
                pthread_join(t, NULL);
                pthread_join(u, NULL);
                return 0;
            }"""

    def borrow(self, name, thread_local, local):
        """What is told of a race on what a thread lends to another."""
        source = self.write(name + ".c", self.BORROWED.replace("THREAD_LOCAL", thread_local).replace("LOCAL", local))
        document, done = self.document("run", "--record", self.path("b.htr"), "--", self.build(source, name), status=1)
        self.assertNotIn("heap block", done.stderr)
        return {f["location"]["kind"] for f in document["findings"]}, done.stderr

    def test_memory_of_a_thread_is_no_heap_block(self):
        kinds, text = self.borrow("borrowed", "", "int local = 0;")
        self.assertEqual(kinds, {"stack"})
        self.assertIn("HEDDLE: data race on stack of a thread made at borrowed.c:28 in main", text)
        self.assertRegex(text, r"Location is offset \d+ of the stack of a thread made by T1 at:\n    #0 main")

    def test_thread_local_variables_have_names(self):
        kinds, text = self.borrow("lent", "static __thread long before[5] = {1}; static __thread int local;",
                                  "before[3]++;")
        self.assertEqual(kinds, {"variable"})
        self.assertIn("HEDDLE: data race on 'local (thread-local)'", text)
        self.assertNotIn("stack of a thread", text)

    def test_stacks_are_the_threads_own(self):
        """A thread's stack ends where it began, and headers of the system are not to blame."""
        binary = self.build("vector_race.cpp", "vector_race", "-g")
        document, done = self.document("run", "--", binary, status=1)
        self.assertRegex(done.stderr, r"\nSUMMARY: heddle: data race vector_race\.cpp:\d+ in add_up\n")
        for finding in document["findings"]:
            for access in finding["accesses"]:
                self.assertEqual(access["stack"][-1]["function"], "work")
                self.assertTrue(access["stack"][0]["file"].startswith("/usr/include/"), access["stack"])
                self.assertEqual(access["function"], "add_up")

    def test_both_agree(self):
        online, _ = self.document("run", "--seed", "3", "--", self.binary["racy"])
        trace = self.record("racy", 3, "--races", "no")
        offline, _ = self.document("analyze", trace)
        self.assertEqual({f["id"] for f in online["findings"]},
                         {f["id"] for f in offline["findings"]})

    def test_not_looked_for(self):
        self.heddle("run", "--races", "no", "--", self.binary["racy"], status=0)
        document, _ = self.document("analyze", "--only", "deadlock",
                                    self.record("racy", 1, "--races", "no"), status=0)
        self.assertEqual(document["findings"] + document["candidates"], [])

    def test_heap(self):
        document, done = self.document("analyze", self.record("racy_heap"), status=1)
        location = document["findings"][0]["location"]
        self.assertEqual((location["kind"], location["size"], location["offset"]),
                         ("heap", 16, 8))
        self.assertEqual(location["allocated"]["function"], "main")
        self.assertEqual(document["findings"][0]["variable"], "account.balance")
        self.assertRegex(done.stdout, r"data race on 'account\.balance' in a heap block of 16 bytes allocated at "
                                      r"ledger\.c:\d+ in main ")
        self.assertIn("\n  Location is 'account.balance', offset 8 of a heap block of 16 bytes allocated by T1 at:\n",
                      done.stdout)
        self.assertNotRegex(done.stdout, "0x[0-9a-f]")

    def test_members_of_a_block(self):
        """Each member is a variable with one report, whichever of its accesses a run shows; an array is one."""
        source = self.write("members.c", MEMBERS)
        self.heddle("cc", "-g", "-pthread", source, "-o", self.path("members"), status=0)
        seen = set()
        for seed in range(1, 6):
            document, _ = self.document("run", "--seed", str(seed), "--", self.path("members"), status=1)
            names = [re.sub(r"\[\d+\]", "[]", f["variable"]) for f in document["findings"]]
            self.assertEqual(sorted(names), ["pair.cells[]", "pair.left", "pair.right"])
            seen.update((f["id"], name) for f, name in zip(document["findings"], names))
        self.assertEqual(len(seen), 3)

    def test_run_in_another_folder(self):
        """A source is read where the compiler found it, not a file of its name where the program runs."""
        built, elsewhere = self.path("built"), self.path("elsewhere")
        for folder in (built, elsewhere):
            os.mkdir(folder)
            with open(os.path.join(folder, "apart.c"), "w", encoding="ascii") as file:
                file.write(APART if folder == built else "\n/* another */\n" * 40)
        self.heddle("cc", "-g", "-pthread", "apart.c", "-o", "apart", cwd=built, status=0)
        page = os.path.join(elsewhere, "page.html")
        document, _ = self.document("run", "--html", page, "--", "../built/apart", cwd=elsewhere, status=1)
        finding, = document["findings"]
        self.assertEqual(finding["variable"], "tally.count")
        for access in finding["accesses"]:
            self.assertEqual((access["file"], access["source"]), ("apart.c", "t->count++;"))
            self.assertEqual(access["path"], os.path.join(built, "apart.c"))
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("struct tally {", text)
        self.assertNotIn("/* another */", text)

    def test_imported(self):
        trace = self.imported("T1 fork T2\nT1 write x 5 @bank.c:4\nT2 acquire m @bank.c:8\n"
                              "T2 read x 5 @bank.c:9\nT2 release m\nT1 join T2\n")
        document, done = self.document("analyze", trace, status=1)
        finding, = document["findings"]
        self.assertEqual(finding["variable"], "x")
        self.assertEqual([(a["file"], a["line"], a["locks"]) for a in finding["accesses"]],
                         [("bank.c", 4, []), ("bank.c", 9, ["m"])])
        self.assertIn("\nSUMMARY: heddle: data race bank.c:9\n", done.stdout)
        trace = self.imported("T1 write x 5\nT1 fork T2\nT2 read x 5\nT1 join T2\nT1 write x 6\n")
        self.heddle("analyze", trace, status=0)

    def test_candidates_do_not_count(self):
        """Ordered by a lock that does not protect: only locksets can tell."""
        trace = self.imported("T1 fork T2\nT1 write x 5 @a.c:1\nT1 acquire m\nT1 release m\n"
                              "T2 acquire m\nT2 release m\nT2 write x 6 @a.c:2\n")
        document, done = self.document("analyze", trace, status=0)
        self.assertEqual(document["findings"] + document["candidates"], [])
        self.assertGreater(document["stats"]["candidates"], 0)
        self.assertRegex(done.stdout, r"\nheddle: \d+ candidates? not confirmed; --all lists them\n")
        document, done = self.document("analyze", "--all", trace, status=0)
        self.assertIn(("race", "predicted", "lockset"),
                      {(c["kind"], c["verdict"], c["established"])
                       for c in document["candidates"]})
        self.assertIn("HEDDLE: possible data race on 'x' (lockset)\n", done.stdout)


class Blocks(Findings):
    def first_torn(self, name, *options):
        """Under some seeds another thread only comes between: no access is torn from another."""
        for seed in range(1, 31):
            document, done = self.document("run", "--seed", str(seed), *options, "--",
                                           self.binary[name])
            self.assertEqual(done.returncode, 1 if document["findings"] else 0)
            self.assertLessEqual(self.kinds(document), {"atomicity"})
            for finding in document["findings"]:
                if finding["pattern"]:
                    return finding
        self.fail(f"{name}: no block was torn")
        return None

    def check_torn(self, finding):
        self.assertEqual((finding["pattern"], finding["variable"]), ("RWW", "ledger[2].balance"))
        self.assertEqual(finding["verdict"], "observed")
        self.assertEqual([(a["role"], a["function"]) for a in finding["accesses"]],
                         [("e1", "look"), ("f", "store"), ("e2", "store")])
        first, middle, last = (a["thread"] for a in finding["accesses"])
        self.assertEqual(first, last)
        self.assertNotEqual(first, middle)

    def test_declared_block(self):
        self.check_torn(self.first_torn("torn", "--analyze"))

    def test_named_function(self):
        self.check_torn(self.first_torn("split", "--atomic", "^depo"))

    def test_every_function(self):
        self.check_torn(self.first_torn("split", "--atomic-functions"))

    def test_clean_twins(self):
        for seed in range(1, 11):
            for options in (("--analyze",), ("--atomic", "^deposit$"), ("--atomic-functions",)):
                self.heddle("run", "--seed", str(seed), *options, "--", self.binary["clean"],
                            status=0)
            self.heddle("run", "--seed", str(seed), "--analyze", "--", self.binary["split"],
                        status=0)  # nobody said that it is atomic
            self.heddle("run", "--seed", str(seed), "--atomic", "^nothing$", "--",
                        self.binary["split"], status=0)

    def test_undeclared_patterns_are_candidates(self):
        document, _ = self.document("analyze", "--all", self.record("split"), status=0)
        self.assertIn("RWW", {c["pattern"] for c in document["candidates"]
                              if c["kind"] == "atomicity"})
        document, _ = self.document("analyze", "--all", self.record("clean"), status=0)
        self.assertEqual([c for c in document["candidates"] if c["kind"] == "atomicity"], [])


class Locks(Findings):
    def cycles(self, name):
        for seed in range(1, 31):
            trace = self.record(name, seed)
            document, _ = self.document("analyze", "--all", "--only", "deadlock", trace)
            if not document["findings"]:  # it did not deadlock in that run
                return [c for c in document["candidates"] if c["kind"] == "deadlock"]
        self.fail(f"{name} always deadlocks")
        return None

    def test_twins(self):
        cycle, = self.cycles("crossing")
        self.assertIn("holds mutex 'door' and wants mutex 'vault'", cycle["summary"])
        self.assertIn("holds mutex 'vault' and wants mutex 'door'", cycle["summary"])
        self.assertEqual({a["function"] for a in cycle["accesses"]}, {"both"})
        self.assertEqual(self.cycles("crossed"), [])  # joined before


class Groups(Findings):
    RUN = ("T1 fork T2\nT1 read x 0\nT2 acquire m\nT2 write x 1\nT2 write y 1\nT2 release m\n"
           "T1 read y 1\n")

    def test_imported(self):
        trace = self.imported(self.RUN)
        groups = self.write("groups", "group pair: x, y\n")
        without, _ = self.document("analyze", "--all", "--only", "patterns", trace, status=0)
        with_it, _ = self.document("analyze", "--all", "--only", "patterns", "--groups", groups,
                                   trace, status=0)
        self.assertEqual([c["group"] for c in without["candidates"] if c["group"] is not None], [])
        self.assertTrue([c for c in with_it["candidates"] if c["group"] is not None])

    def test_by_name_in_a_program(self):
        groups = self.write("groups", "group one: ledger[2].balance, ledger[2].number\n"
                                      "group each: struct account.number, struct account.balance\n"
                                      "group all: alloc ledger.c:1 +0..8, +8..16\n")
        self.heddle("run", "--groups", groups, "--", self.binary["clean"], status=0)
        self.write("groups", "group one: ledger[2].balance, nobody\n")
        done = self.heddle("run", "--groups", groups, "--", self.binary["clean"], status=2)
        self.assertIn("nobody", done.stderr)
        self.write("groups", "hello\n")
        done = self.heddle("run", "--groups", groups, "--", self.binary["clean"], status=2)
        self.assertIn("line 1", done.stderr)
        self.assertEqual(done.stdout, "")  # before the program has run


class Judging(Findings):
    def test_suppressions(self):
        trace = self.record("racy")
        for line in ("race:^deposit$", "race:^ledger[2].balance$", "race:ledger.c", "race:racy$"):
            done = self.heddle("analyze", "--suppressions", self.write("s", line + "\n"), trace,
                               status=0)
            self.assertIn("suppressed\n", done.stdout)
            self.assertNotIn("HEDDLE:", done.stdout)
            self.heddle("run", "--suppressions", self.path("s"), "--", self.binary["racy"],
                        status=0)
        self.write("s", "# old\nrace:^nobody$\ndeadlock:deposit\n")
        done = self.heddle("analyze", "--suppressions", self.path("s"), trace, status=1)
        self.assertIn("note: this suppression matched nothing: race:^nobody$\n", done.stdout)
        self.write("s", "race:x\n\nrase:y\n")
        done = self.heddle("run", "--suppressions", self.path("s"), "--", self.binary["racy"],
                           status=2)
        self.assertIn("line 3 ", done.stderr)
        self.assertEqual((len(done.stderr.splitlines()), done.stdout), (1, ""))

    def test_generated_suppressions(self):
        trace = self.record("racy")
        done = self.heddle("analyze", "--gen-suppressions", trace, status=1)
        lines = re.findall(r"(?m)^# data race .*\n(race:.*)\n", done.stdout)
        self.assertEqual(lines, ["race:^deposit$"])
        self.heddle("analyze", "--suppressions", self.write("s", lines[0]), trace, status=0)

    def test_baseline(self):
        old = self.path("old.json")
        self.heddle("run", "--json", old, "--", self.binary["racy"], status=1)
        document, done = self.document("run", "--baseline", old, "--", self.binary["racy"],
                                       status=0)
        self.assertTrue(all(f["known"] for f in document["findings"]))
        self.assertIn("HEDDLE: known: data race on 'ledger[2].balance'", done.stderr)
        # It may be written anew by the same command.
        self.heddle("run", "--baseline", old, "--json", old, "--", self.binary["racy"], status=0)
        self.heddle("run", "--baseline", old, "--", self.binary["racy"], status=0)
        self.heddle("run", "--baseline", old, "--", self.binary["racy_heap"], status=1)
        done = self.heddle("run", "--baseline", self.write("b", "[]"), "--", self.binary["racy"],
                           status=2)
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_ids_survive_edits_and_rebuilds(self):
        with open(os.path.join(harness.HERE, "ledger.c"), encoding="utf-8") as file:
            source = file.read()
        ids = []
        for name, text in (("before", source), ("after", "/* New. */\n\n" * 7 + source)):
            os.makedirs(self.path(name), exist_ok=True)
            self.write(os.path.join(name, "ledger.c"), text)
            binary = self.path(name + ".out")
            subprocess.run([harness.heddle_command, "cc", "-O1",
                            self.path(os.path.join(name, "ledger.c")), "-o", binary, "-pthread"],
                           env=harness.environment(), check=True)
            for seed in ("1", "2", "3"):
                document, _ = self.document("run", "--seed", seed, "--", binary, status=1)
                ids.append({f["id"] for f in document["findings"] if f["kind"] == "race"})
        self.assertEqual(ids[0], ids[3])
        self.assertEqual(len(set.union(*ids)), 1)


class Formats(Findings):
    def test_all_at_once(self):
        trace = self.record("racy")
        names = [self.path(n) for n in ("j", "s", "u")]
        self.heddle("analyze", trace, "--all", "--json", names[0], "--sarif", names[1], "--junit",
                    names[2], status=1)
        with open(names[0], encoding="utf-8") as file:
            document = json.load(file)
        json_schema.check(document, self.schema, self.schema)
        with open(names[1], encoding="utf-8") as file:
            log = json.load(file)
        sarif_rules.check(log)
        listed = document["findings"] + document["candidates"]
        results = log["runs"][0]["results"]
        self.assertEqual({r["partialFingerprints"]["heddle/v1"] for r in results},
                         {f["id"] for f in listed})
        suite = xml.etree.ElementTree.parse(names[2]).getroot().find("testsuite")
        self.assertEqual(int(suite.get("failures")), len(document["findings"]))
        self.assertEqual(int(suite.get("tests")), len(listed))

    def test_suppressed_and_known(self):
        old, log_name = self.path("old.json"), self.path("log")
        self.heddle("run", "--json", old, "--", self.binary["racy"], status=1)
        self.heddle("run", "--baseline", old, "--suppressions", self.write("s", "race:deposit"),
                    "--sarif", log_name, "--junit", self.path("u"), "--", self.binary["racy"],
                    status=0)
        with open(log_name, encoding="utf-8") as file:
            log = json.load(file)
        sarif_rules.check(log)
        for result in log["runs"][0]["results"]:
            self.assertEqual(result["baselineState"], "unchanged")
            self.assertEqual(result["suppressions"],
                             [{"kind": "external", "justification": "race:deposit"}])
        suite = xml.etree.ElementTree.parse(self.path("u")).getroot().find("testsuite")
        self.assertEqual((suite.get("failures"), suite.get("tests")),
                         ("0", suite.get("skipped")))

    def test_nothing_found(self):
        self.heddle("run", "--sarif", self.path("s"), "--junit", self.path("u"), "--",
                    self.binary["clean"], status=0)
        with open(self.path("s"), encoding="utf-8") as file:
            log = json.load(file)
        sarif_rules.check(log)
        self.assertEqual(log["runs"][0]["results"], [])
        suite = xml.etree.ElementTree.parse(self.path("u")).getroot().find("testsuite")
        self.assertEqual([c.get("name") for c in suite], ["no findings"])

    def test_hostile_names(self):
        hostile = self.path("]]>\x1b[2J<&\"'\n\udcff")
        os.link(self.binary["racy"], hostile)
        self.addCleanup(os.unlink, hostile)
        done = self.heddle("run", "--json", self.path("j"), "--sarif", self.path("s"), "--junit",
                           self.path("u"), "--", hostile, status=1)
        self.assertNotIn("\x1b", done.stderr)
        with open(self.path("j"), encoding="utf-8") as file:
            json_schema.check(json.load(file), self.schema, self.schema)
        with open(self.path("s"), encoding="utf-8") as file:
            sarif_rules.check(json.load(file))
        xml.etree.ElementTree.parse(self.path("u"))
        self.written_again("run", "--", hostile, status=1)

    def test_markdown(self):
        """Names that would draw, link, call somebody or end a cell do none of that."""
        names = ("`` `x` ```", "a|b\\|c\\\\|d", "</code></summary><img src=x onerror=alert(1)>",
                 "@everyone #1 www.example.org https://example.org", "*b* _i_ [l](u) ~s~ <b>&amp;",
                 "x\n```\n# y\n</details>", "\u202e\x1b[2J", "", " ")
        document, _ = self.run_json("run", "--", self.binary["racy"], status=1)
        for name in names:
            finding = document["findings"][0]
            finding.update(summary=f"data race on '{name}'", text=f"HEDDLE: {name}\n",
                           verdict=name, replay=name, site={"function": name, "file": name, "line": 3})
            document["program"]["argv"] = [name, name]
            document["drops"] = {name: 1}
            document["stats"]["stopped"] = name
            self.write("j", json.dumps(document))
            done = self.heddle("report", self.path("j"), "--markdown", status=1)
            markdown_rules.check(done.stdout)

    def test_markdown_is_honest(self):
        def first_lines(**stats):
            document["stats"].update(stats)
            self.write("j", json.dumps(document))
            done = self.heddle("report", self.path("j"), "--markdown")
            markdown_rules.check(done.stdout)
            return done.stdout

        document, _ = self.run_json("run", "--", self.binary["racy"], status=1)
        found = len(document["findings"])
        self.assertTrue(first_lines().startswith(f"### Heddle: {found} finding"))
        self.assertIn("Not everything was tried: `--time ran out`.", first_lines(stopped="time"))
        document["findings"] *= 5000 # more than a comment has room for
        text = first_lines()
        self.assertLess(len(text), 65536)
        self.assertIn(f"And {5000 * found - 50} more.", text)
        self.assertIn("more do not fit in here.", text)
        for finding in document["findings"]:
            finding["known"] = True
        text = first_lines(known=5000)
        self.assertTrue(text.startswith("### Heddle: no findings, but it stopped early\n"), text)
        self.assertIn("Not counted: 5000 known.", text)
        document["findings"] = []
        text = first_lines(stopped=None, known=0)
        self.assertTrue(text.startswith("### Heddle: no findings\n\n`heddle run "), text)

    def written_again(self, *args, status):
        """What `heddle report` makes of the document is what the command itself wrote."""
        with open(os.path.join(harness.ROOT, "include", "heddle", "engine", "formats.def"),
                  encoding="utf-8") as file:
            forms = re.findall(r'^HD_FORMAT\(\w+, "(\w+)"', file.read(), re.M)
        forms.remove("json")
        words = [w for form in ["json"] + forms for w in ("--" + form, self.path("one." + form))]
        self.heddle(args[0], *words, *args[1:], status=status)
        for form in forms:
            again = self.path("again." + form)
            self.heddle("report", self.path("one.json"), "--" + form, "-o", again, status=status)
            self.assertEqual(harness.read_bytes(self.path("one." + form)),
                             harness.read_bytes(again), f"{args} {form}")

    def test_from_the_document(self):
        racy, old = self.binary["racy"], self.path("old.json")
        source = os.path.join(harness.ROOT, "examples", "deadlock.c")
        self.heddle("run", "--json", old, "--", racy, status=1)
        suppressions = self.write("s", "race:deposit")
        self.written_again("analyze", "--all", self.record("crossing"), status=0)
        self.written_again("run", "--", self.binary["clean"], status=0)
        self.written_again("run", "--baseline", old, "--", racy, status=0)
        for all_of_them in ((), ("--all",)):
            self.written_again("run", *all_of_them, "--suppressions", suppressions, "--", racy,
                               status=0)
        self.written_again("check", "--output", self.path("schedules"), "--",
                           self.build(source, "deadlock"), status=1)

    def test_standard_output_is_not_shared(self):
        trace = self.record("racy")
        done = self.heddle("analyze", trace, "--json", "-", status=1)
        json.loads(done.stdout)
        self.assertIn("HEDDLE: data race", done.stderr)
        done = self.heddle("analyze", trace, "--json", "-", "--sarif", "-", status=2)
        self.assertIn("two", done.stderr)


class Input(Findings):
    def refuse(self, *args, sentence):
        done = self.heddle("analyze", *args, status=2)
        self.assertEqual((done.stdout, len(done.stderr.splitlines())), ("", 1), done.stderr)
        self.assertIn(sentence, done.stderr)

    def test_wrong_commands(self):
        trace = self.record("clean")
        self.refuse(sentence="which trace?")
        self.refuse(self.path("nothing"), sentence="nothing")
        self.refuse(trace, trace, sentence="one trace at a time")
        self.refuse(trace, "--only", "race,raec", sentence="'raec'")
        self.refuse(trace, "--atomic", "(", sentence="regular expression")
        self.refuse(trace, "--seed", "3", sentence="--seed")
        self.refuse(self.write("t", "hello\n"), sentence="not a heddle trace")
        self.refuse(trace, "--json", self.path("no/folder"), sentence="No such file")

    def test_broken_trace(self):
        whole = harness.read_bytes(self.record("racy"))
        with open(self.path("cut.htr"), "wb") as file:
            file.write(whole[:len(whole) // 2])
        done = self.heddle("analyze", self.path("cut.htr"), status=2)
        self.assertRegex(done.stderr, r"byte \d+")

    def test_statistics_and_help(self):
        done = self.heddle("analyze", "--stats", "--only", "race", self.record("clean"), status=0)
        self.assertRegex(done.stdout, r"stats: race [0-9.]+ s, [0-9.]+ million events/s\n")
        self.assertNotIn("stats: patterns", done.stdout)
        done = self.heddle("analyze", "--help", status=0)
        self.assertIn("--suppressions FILE", done.stdout)


del Findings  # it has no tests of its own
harness.main()
