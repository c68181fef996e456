"""`holdfast demo` as a shell sees it: the whole story, one with a broken promise, and that nothing is
left of it however it ends.

    demo_test.py HOLDFAST
"""

# ctest: end_to_end.demo

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from watch_process import PATIENCE, environment  # noqa: E402

PROGRAM = None
# Longer than every act may take.
STORY = 4 * PATIENCE

EVENTS = ["all is well", "bad cluster pushed", "listener deleted", "permission denied",
          "a missing name", "control plane killed", "backends dead, too", "all repaired"]
# What Holdfast promises, as the last column of the table shows it.
HOLDFAST = [r"✔ 0 of [1-9]\d* failed"] * 4 + [
    r"✔ told after \d+ ms", r"✔ 0 of [1-9]\d* failed",
    r"✔ [1-9]\d* of [1-9]\d* failed, 2 of 2 reasons", r"✔ well again after [\d.]+ m?s"]
KEPT = "✔ Holdfast kept what it promises, in all 8 acts."


def processes_with(text):
    """Ids of processes that have this text in their environment: children of a demo."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and text.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


class Demo(unittest.TestCase):
    def setUp(self):
        # Where the demo makes its directory, and how its children are told from others.
        self.place = tempfile.TemporaryDirectory(prefix="demo-test.")
        self.addCleanup(self.place.cleanup)

    def start(self, *arguments, stdin=subprocess.DEVNULL, **more):
        return subprocess.Popen(
            [PROGRAM, "demo", *arguments], stdin=stdin, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, encoding="utf-8",
            env=environment(None, TMPDIR=self.place.name, **more))

    def finish(self, demo):
        """(exit code, stdout, stderr), and nothing is left."""
        try:
            out, err = demo.communicate(timeout=STORY)
        except subprocess.TimeoutExpired:
            demo.kill()
            out, err = demo.communicate()
            self.fail(f"it did not end: {out}{err}")
        self.expect_no_process()
        self.assertEqual(os.listdir(self.place.name), [])
        return demo.returncode, out, err

    def expect_no_process(self):
        deadline = time.monotonic() + PATIENCE
        while left := processes_with(self.place.name):
            self.assertLess(time.monotonic(), deadline, f"processes {left} are left")
            time.sleep(0.01)

    def rows(self, out):
        """The cells of the table, a row each."""
        lines = out.splitlines()
        head = next(i for i, line in enumerate(lines) if line.startswith("what happened"))
        table = []
        for line in lines[head + 1:head + 1 + len(EVENTS)]:
            table.append(re.split(r"\s{2,}(?=[✔✖])", line))
        return table

    def test_the_story_ends_well(self):
        code, out, err = self.finish(self.start("--fast"))
        self.assertEqual((code, err), (0, ""), out)
        table = self.rows(out)
        self.assertEqual([row[0] for row in table], EVENTS)
        for row, expected in zip(table, HOLDFAST):
            self.assertEqual(len(row), 3, row)
            self.assertRegex(row[2], f"^{expected}$", row[0])
        self.assertEqual(out.splitlines()[-1], KEPT)
        # In full: why it goes on, and both reasons where it cannot.
        self.assertRegex(out, r'log  +xds:///web: .* cluster "web": lb_policy: .*got MAGLEV')
        self.assertRegex(out, r'log  +xds:///web: listener "web": no listener "web" .*keeping version')
        self.assertRegex(out, r'log  +xds:///web: listener "web": team shop may not read web; ask '
                              r'#platform; keeping version')
        self.assertRegex(out, r'  Holdfast  +UNAVAILABLE: target "xds:///nowhere": .*NOT_FOUND: '
                              r'no listener "nowhere"')
        self.assertRegex(out, r'  Holdfast  +UNAVAILABLE: cluster "web": no endpoint can be reached; '
                              r'.*Connection refused \(.*xds server "127.0.0.1:\d+": cannot be reached')
        # A pipe is no terminal: no colours, and nothing is written over.
        self.assertNotIn("\033", out)

    def test_a_broken_promise_is_named(self):
        code, out, err = self.finish(
            self.start("--fast", GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING="false"))
        self.assertEqual((code, err), (1, ""), out)
        table = {row[0]: row[2] for row in self.rows(out)}
        self.assertRegex(table["listener deleted"], r"^✖ [1-9]\d* of [1-9]\d* failed$")
        self.assertRegex(table["control plane killed"], r"^✔ 0 of [1-9]\d* failed$")
        verdict = out[out.index("✖ Holdfast broke its promises:\n"):]
        self.assertRegex(verdict, r'  listener deleted: no call fails; [1-9]\d* of \d+ did: '
                                  r'UNAVAILABLE: target "xds:///web": listener "web": deleted')

    def test_a_signal_ends_it(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            demo = self.start()
            while "1/8" not in demo.stdout.readline():
                pass
            demo.send_signal(number)
            code, _, err = self.finish(demo)
            self.assertEqual((code, err), (1, "holdfast demo: stopped by a signal; all that it "
                                              "started is stopped\n"))

    def test_nobody_outlives_it(self):
        demo = self.start()
        while "2/8" not in demo.stdout.readline():
            pass
        # The control plane, two clients, and two that ask for the name that is not there.
        self.assertEqual(len(processes_with(self.place.name)), 6)
        demo.kill()
        demo.communicate()
        self.expect_no_process()

    def test_a_client_that_dies_ends_it(self):
        demo = self.start()
        while "1/8" not in demo.stdout.readline():
            pass
        while not (clients := [pid for pid in processes_with(self.place.name)
                               if b"--stock" in Path(f"/proc/{pid}/cmdline").read_bytes()]):
            time.sleep(0.01)
        os.kill(clients[0], signal.SIGKILL)
        code, _, err = self.finish(demo)
        self.assertEqual((code, err), (1, "holdfast demo: the client of stock gRPC ended unexpectedly, "
                                          "with signal 9; all that it started is stopped\n"))

    def test_a_story_that_nobody_reads_ends(self):
        demo = self.start("--fast")
        demo.stdout.readline()
        demo.stdout.close()
        self.assertEqual(demo.wait(STORY), 1)
        self.assertIn("nobody reads the story any more", demo.stderr.read())
        demo.stderr.close()
        self.expect_no_process()

    def test_steps_wait_for_enter(self):
        demo = self.start("--fast", "--step", stdin=subprocess.PIPE)
        lines = []
        while not lines or "Enter goes on" not in lines[-1]:
            lines.append(demo.stdout.readline())
        self.assertIn("1/8", "".join(lines))
        self.assertNotIn("2/8", "".join(lines))
        demo.stdin.write("\n")
        demo.stdin.flush()
        while "2/8" not in demo.stdout.readline():
            pass
        demo.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(demo)[0], 1)

    def test_help_and_mistakes(self):
        demo = self.start("--help")
        code, out, err = self.finish(demo)
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("holdfast demo\n"), out)
        code, out, err = self.finish(self.start("--fats"))
        self.assertEqual((code, out), (64, ""))
        self.assertIn("did you mean --fast?", err)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
