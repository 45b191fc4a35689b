#!/usr/bin/env python3
"""--dot: the execution of a finding as a graph. Its edges are those that the program must have in the only
execution that fails."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position


class Graph:
    """Nodes by name with thread and label; edges by kind."""

    def __init__(self, text):
        self.nodes, self.edges, self.marked, thread = {}, set(), set(), None
        for line in text.splitlines():
            if found := re.fullmatch(r"  subgraph cluster_(T\d+) \{", line):
                thread = found[1]
            elif found := re.fullmatch(r'    (n\d+) \[label="(.*?)"(, color=red, penwidth=2)?\];', line):
                self.nodes[found[1]] = (thread, found[2].split("\\n")[0])
                if found[3]:
                    self.marked.add(self.nodes[found[1]])
            elif found := re.fullmatch(r"  (n\d+) -> (n\d+) \[(.*)\];", line):
                label = re.search(r'label="(\w+)"', found[3])
                self.edges.add((label[1] if label else "po", self.nodes[found[1]], self.nodes[found[2]]))

    def of(self, kind):
        return {(a, b) for k, a, b in self.edges if k == kind}


class Dot(harness.SystemTest):
    programs = ("../explore/graphs.c",)

    def graph(self, case, *options):
        file = self.path("graph.dot")
        document, _ = self.run_json("explore", *options, "--dot", file, "--output", self.path("out"), "--",
                                    self.binary["graphs"], case)
        if not os.path.exists(file):
            return None, document
        with open(file, encoding="utf-8") as opened:
            text = opened.read()
        os.unlink(file)
        self.assertTrue(text.startswith("digraph execution {\n") and text.endswith("}\n"))
        return Graph(text), document

    def test_values_that_were_read(self):
        # It fails only if both loads see what was there at the beginning, and in C11 alone.
        graph, _ = self.graph("SB", "--model", "c11")
        loads = {label for _, label in graph.nodes.values() if label.startswith("atomic-load")}
        # One of them comes first and reads the newest; the other one reads past the store.
        self.assertEqual({label.split()[2] for label in loads}, {"0"})
        self.assertEqual(len([label for label in loads if "as at the beginning" in label]), 1)
        # Which comes before it in the order of the model.
        (read, store), = graph.of("fr")
        self.assertIn("as at the beginning", read[1])
        self.assertEqual((read[1].split()[1].rstrip(":"), store[1].split()[0]), (store[1].split()[1], "atomic-store"))
        self.assertEqual({(a[1], b[1]) for a, b in graph.of("rf")},
                         {("write r[0] = 0", "read r[0]: 0"), ("write r[1] = 0", "read r[1]: 0")})
        self.assertEqual({(a[1], b[0]) for a, b in graph.of("create")}, {("fork T2", "T2"), ("fork T3", "T3")})
        self.assertEqual(len(graph.of("join")), 2)
        self.assertEqual(graph.marked, {("T1", "read r[1]: 0")})

    def test_locks(self):
        # The second of two sections adds to what the first wrote.
        graph, _ = self.graph("sections")
        (release, acquire), = graph.of("lock")
        self.assertEqual((release[1], acquire[1]), ("release m", "acquire m"))
        self.assertNotEqual(release[0], acquire[0])
        passed = {(a[0], a[1], b[0], b[1]) for a, b in graph.of("rf")}
        self.assertIn((release[0], "write sum = 1", acquire[0], "read sum: 1"), passed)
        self.assertIn((acquire[0], "write sum = 2", "T1", "read sum: 2"), passed)
        # Program order is a line for each thread.
        for kind, a, b in graph.edges:
            self.assertEqual(a[0] == b[0], kind == "po")

    def test_race(self):
        graph, document = self.graph("race")
        self.assertEqual([f["kind"] for f in document["findings"]], ["race"])
        self.assertEqual({label.split()[1].rstrip(":") for _, label in graph.marked}, {"plain"})
        self.assertEqual(len(graph.marked), 2)

    def test_nothing_found(self):
        graph, document = self.graph("fine")
        self.assertIsNone(graph)
        self.assertEqual(document["findings"], [])
        done = self.heddle("explore", "--dot", self.path("no/such/folder"), "--output", self.path("out"), "--",
                           self.binary["graphs"], "sections", status=3)
        self.assertIn("the graph could not be written", done.stderr)


if __name__ == "__main__":
    harness.main()
