#!/usr/bin/env python3
"""Make pages with heddle and look at them in Chromium: run.py BUILDDIR [--screenshots DIR]

Skipped (status 77) where there is no chromium; `make setup-test` installs it.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

import browser
import page_checks

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SKIP = 77


class Maker:
    def __init__(self, heddle, folder):
        self.heddle, self.folder = heddle, folder

    def run(self, *args, status):
        done = subprocess.run([self.heddle, *args], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != status:
            sys.exit(f"page: heddle {args} ended with {done.returncode}:\n{done.stdout}")
        return done.stdout

    def build(self, source, name):
        self.run("cc", "-g", "-O1", source, "-o", name, "-pthread", status=0)

    def path(self, name):
        return os.path.join(self.folder, name)

    def report(self, document, name):
        with open(self.path(name + ".json"), "w", encoding="utf-8") as file:
            json.dump(document, file)
        self.run("report", name + ".json", "--html", "-o", name + ".html",
                 status=1 if document["findings"] else 0)

    def bank(self):
        self.build(os.path.join(ROOT, "examples", "bank_transfer.c"), "bank")
        self.run("check", "--html", "bank.html", "--json", "bank.json", "--", "./bank", status=1)
        with open(self.path("bank.json"), encoding="utf-8") as file:
            return json.load(file)

    def deadlock(self):
        self.build(os.path.join(ROOT, "examples", "deadlock.c"), "deadlock")
        self.run("check", "--html", "deadlock.html", "--", "./deadlock", status=1)

    def cache(self):
        self.build(os.path.join(HERE, "cache.c"), "cache")
        self.run("check", "--html", "cache.html", "--", "./cache", status=1)

    def older(self):
        self.build(os.path.join(ROOT, "examples", "relaxed_flag.c"), "older")
        self.run("explore", "--model", "c11", "--html", "older.html", "--", "./older", status=1)

    def tasks(self):
        self.build(os.path.join(HERE, "deposit.c"), "deposit")
        self.run("run", "--policy", "rr", "--rr-quantum", "1000", "--record", "t.htr", "--",
                 "./deposit", status=0)
        self.run("analyze", "--html", "tasks.html", "t.htr", status=1)

    def long(self, finding):
        """The same violation in a run of more than ten thousand events."""
        self.build(os.path.join(HERE, "long_bank.c"), "long_bank")
        self.run("check", "--html", "long.html", "--", "./long_bank", status=1)
        assert finding

    def made_up(self, bank):
        """Documents with what is hard to come by: very many findings, sets, hostile names."""
        sample = bank["findings"][0]
        kinds, files = ("race", "deadlock", "crash", "atomicity"), ("one.c", "two.c")
        many = []
        for i in range(1000):
            access = dict(sample["accesses"][0], file="/src/" + files[i % 2])
            kind = kinds[i // 2 % 4]
            verdict = ("confirmed", "observed")[i // 8 % 2]
            site = dict(sample["site"], file=access["file"])
            many.append(dict(sample, id=f"{i:016x}", kind=kind, verdict=verdict, schedule=None, site=site,
                             summary=f"{kind} number {i} of many",
                             accesses=[access] + sample["accesses"][1:]))
        self.report(dict(bank, findings=many), "many")
        apart = [dict(sample["accesses"][i], variable=name, locks=[lock]) for i, (name, lock) in
                 enumerate((("low", "a"), ("high", "b")))]
        self.report(dict(bank, findings=[dict(sample, kind="extended-race", verdict="observed",
                                              summary="extended race on 'low', 'high'",
                                              variables=["low", "high"], schedule=None,
                                              accesses=apart)]), "set")
        bad = "</script><script>window.broken = 1</script><!--"
        self.report(dict(bank, findings=[dict(sample, summary=bad, variable=bad, text=bad)]), "hostile")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--screenshots")
    args = parser.parse_args()
    chromium = browser.find_chromium()
    if not chromium:
        print("page: there is no chromium")
        return SKIP
    with tempfile.TemporaryDirectory(prefix="heddle-page-") as folder:
        maker = Maker(os.path.join(os.path.abspath(args.build), "heddle"), folder)
        bank = maker.bank()
        maker.deadlock()
        maker.cache()
        maker.older()
        maker.tasks()
        maker.long(bank["findings"][0])
        maker.made_up(bank)
        if args.screenshots:
            os.makedirs(args.screenshots, exist_ok=True)
        sizes = {os.path.basename(p): os.path.getsize(p) for p in glob.glob(maker.path("*.html"))}
        print("sizes:", sizes)
        return 1 if page_checks.run(chromium, folder, args.screenshots) else 0


if __name__ == "__main__":
    sys.exit(main())
