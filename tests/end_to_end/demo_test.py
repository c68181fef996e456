"""`holdfast demo` as a shell sees it: the whole story, also on a terminal at its usual pace, some with
a broken promise, and that nothing is left of it however it ends.

    demo_test.py HOLDFAST
"""

# ctest: end_to_end.demo

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from watch_process import PATIENCE, environment  # noqa: E402

PROGRAM = None
USUAL = None  # the story at its usual pace, on a terminal
# Longer than every act may take.
STORY = 4 * PATIENCE

EVENTS = ["all is well", "bad cluster pushed", "listener deleted", "permission denied",
          "a missing name", "control plane killed", "backends dead, too", "all repaired"]
# What Holdfast promises, as the last column of the table shows it.
HOLDFAST = [r"✔ 0 of [1-9]\d* failed"] * 4 + [
    r"✔ told after \d+ ms", r"✔ 0 of [1-9]\d* failed",
    r"✔ [1-9]\d* of [1-9]\d* failed, 2 of 2 reasons", r"✔ well again after [\d.]+ m?s"]
# And what gRPC 1.51 does, as the table of README.md says it; at the usual pace nothing of it is cut
# short.
STOCK = [r"✔ 0 of [1-9]\d* failed"] * 2 + [
    r"✖ [1-9]\d* of [1-9]\d* failed, not back in [\d.]+ s"] * 2 + [
    r"✖ silent for 1[5-9]\.\d s", r"✔ 0 of [1-9]\d* failed",
    r"✖ [1-9]\d* of [1-9]\d* failed, 1 of 2 reasons", r"✔ well again after [\d.]+ m?s"]
KEPT = "✔ Holdfast kept what it promises, in all 8 acts."
# What a newcomer is promised, in seconds.
UNTIL_THE_FIRST_SCREEN = 10
UNTIL_THE_END = 90


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


def words_of(pid):
    """The arguments of a process; none if it is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[1:-1]
    return []


def rows(out):
    """The cells of the table, a row each."""
    lines = out.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("what happened"))
    return [re.split(r"\s{2,}(?=[✔✖])", line) for line in lines[head + 1:head + 1 + len(EVENTS)]]


def verdict(out):
    """The table and the last line, but for figures: those of no two runs are alike. Of stock gRPC
    only the signs: how its silence is told depends on when its act comes, on a busy machine later."""
    def without_figures(cell):
        return re.sub(r"[1-9]\d*", "<n>", re.sub(r"\b[\d.]+ m?s\b", "<time>", cell))
    return [(event, stock[0], without_figures(holdfast))
            for event, stock, holdfast in rows(out)], out.splitlines()[-1]


class Terminal:
    """A demo on a terminal, read while it goes on."""

    def __init__(self, *arguments):
        self.place = tempfile.TemporaryDirectory(prefix="demo-test.")
        self.file, its = pty.openpty()
        self.start = time.monotonic()
        self.text = ""
        self.seconds_until_live_lines = self.seconds = None
        self.demo = subprocess.Popen(
            [PROGRAM, "demo", *arguments], stdin=its, stdout=its, stderr=its,
            env=environment(None, TMPDIR=self.place.name, TERM="xterm"), start_new_session=True)
        os.close(its)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        shown = b""
        with contextlib.suppress(OSError):  # how a terminal says that nobody writes any more
            while some := os.read(self.file, 65536):
                shown += some
                self.text = shown.decode("utf-8", "replace").replace("\r\n", "\n")
                if self.seconds_until_live_lines is None and "calls/s" in self.text:
                    self.seconds_until_live_lines = time.monotonic() - self.start
        self.seconds = time.monotonic() - self.start

    def wait_for(self, text):
        deadline = time.monotonic() + PATIENCE
        while text not in self.text:
            if time.monotonic() > deadline:
                raise AssertionError(f"no {text!r} in: {self.text}")
            time.sleep(0.01)

    def finish(self):
        """Its exit code."""
        code = self.demo.wait(STORY)
        self.reader.join(PATIENCE)
        return code

    def close(self):
        if self.demo.poll() is None:
            self.demo.kill()
        self.finish()
        os.close(self.file)
        self.place.cleanup()


def setUpModule():
    # At its usual pace it takes a minute, and hardly any time of the processor: the other tests go
    # on meanwhile.
    global USUAL
    USUAL = Terminal()
    unittest.addModuleCleanup(USUAL.close)


class Demo(unittest.TestCase):
    def setUp(self):
        # Where the demo makes its directory, and how its children are told from others.
        self.place = tempfile.TemporaryDirectory(prefix="demo-test.")
        self.addCleanup(self.place.cleanup)

    def start(self, *arguments, stdin=subprocess.DEVNULL, prepare=None, **more):
        return subprocess.Popen(
            [PROGRAM, "demo", *arguments], stdin=stdin, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, encoding="utf-8", preexec_fn=prepare,
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

    def client_of(self, demo, words):
        """The process of one that calls on and on; `words` are those of its command."""
        while not (found := [pid for pid in processes_with(self.place.name) if
                             words_of(pid) == words]):
            self.assertIsNone(demo.poll())
            time.sleep(0.01)
        return found[0]

    def test_the_story_ends_well(self):
        code, out, err = self.finish(self.start("--fast"))
        self.assertEqual((code, err), (0, ""), out)
        table = rows(out)
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
        for _ in range(2):
            again = self.finish(self.start("--fast"))
            self.assertEqual((again[0], again[2]), (0, ""), again[1])
            self.assertEqual(verdict(again[1]), verdict(out), again[1])

    # Calls that wait do not fail; they are no better for that.
    def test_calls_that_stand_still_break_a_promise(self):
        demo = self.start("--fast")
        while "2/8" not in demo.stdout.readline():
            pass
        client = self.client_of(demo, [b"demo-caller", b"xds:///web"])
        os.kill(client, signal.SIGSTOP)
        time.sleep(3)
        os.kill(client, signal.SIGCONT)
        code, out, err = self.finish(demo)
        self.assertEqual((code, err), (1, ""), out)
        table = {row[0]: row[2] for row in rows(out)}
        self.assertRegex(table["bad cluster pushed"],
                         r"^✖ 0 of [1-9]\d* failed, none ended for [3-9]\.\d s$")
        self.assertRegex(out, r"\n✖ Holdfast broke its promises:\n  bad cluster pushed: no pause "
                              r"between calls is longer than 2\.0 s; one is [3-9]\.\d s\n$")

    def test_a_broken_promise_is_named(self):
        code, out, err = self.finish(
            self.start("--fast", GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING="false"))
        self.assertEqual((code, err), (1, ""), out)
        table = {row[0]: row[2] for row in rows(out)}
        self.assertRegex(table["listener deleted"], r"^✖ [1-9]\d* of [1-9]\d* failed$")
        self.assertRegex(table["control plane killed"], r"^✔ 0 of [1-9]\d* failed$")
        verdict = out[out.index("✖ Holdfast broke its promises:\n"):]
        self.assertRegex(verdict, r'  listener deleted: no call fails; [1-9]\d* of \d+ did: '
                                  r'UNAVAILABLE: target "xds:///web": listener "web": deleted')

    def test_a_signal_ends_it(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
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
        # Also if who starts the demo ignores what becomes of children, as some supervisors do.
        for prepare in (None, lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)):
            demo = self.start(prepare=prepare)
            while "1/8" not in demo.stdout.readline():
                pass
            os.kill(self.client_of(demo, [b"demo-caller", b"xds:///web", b"--stock"]), signal.SIGKILL)
            code, _, err = self.finish(demo)
            self.assertEqual((code, err),
                             (1, "holdfast demo: the client of stock gRPC ended unexpectedly, with "
                                 "signal 9; all that it started is stopped\n"))

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


class OnATerminal(unittest.TestCase):
    def test_the_usual_pace(self):
        code = USUAL.finish()
        self.assertEqual(code, 0, USUAL.text)
        self.assertLess(USUAL.seconds_until_live_lines, UNTIL_THE_FIRST_SCREEN)
        self.assertLess(USUAL.seconds, UNTIL_THE_END)
        # Two live lines are written over again and again.
        self.assertGreater(USUAL.text.count("\033[2A\r\033[J"), 50)
        self.assertRegex(USUAL.text, r"\033\[32m✔ Holdfast +\d+ calls/s +\d+ ok +0 failed")
        plain = re.sub(r"\033\[[\d;]*[A-Za-z]", "", USUAL.text)
        table = rows(plain)
        self.assertEqual([row[0] for row in table], EVENTS)
        for row, stock, holdfast in zip(table, STOCK, HOLDFAST):
            self.assertRegex(row[1], f"^{stock} *$", row[0])
            self.assertRegex(row[2], f"^{holdfast}$", row[0])
            # Of calls that fail, not just the odd one.
            for failed, calls in re.findall(r"✖ (\d+) of (\d+) failed", row[1]):
                self.assertGreater(2 * int(failed), int(calls), row)
        self.assertRegex(plain, r"\npermission denied:\n  stock gRPC \S+ +UNAVAILABLE: .* does not "
                                r"exist\n  Holdfast's log ")
        self.assertEqual(plain.splitlines()[-1], KEPT)

    def test_a_step_waits_for_enter(self):
        terminal = Terminal("--fast", "--step")
        self.addCleanup(terminal.close)
        terminal.wait_for("Enter goes on")
        # Longer than an act lasts at this pace.
        time.sleep(2)
        self.assertIn("1/8", terminal.text)
        self.assertNotIn("2/8", terminal.text)
        os.write(terminal.file, b"\n")
        terminal.wait_for("2/8")


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
