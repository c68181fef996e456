#!/usr/bin/env python3
"""Each program of examples/ does what the comment at its top says, word for word.

    examples_test.py HOLDFAST FOLDER-OF-THE-PROGRAMS
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from serve_process import ServeProcess  # noqa: E402
from watch_process import PATIENCE, Process, bootstrap, environment  # noqa: E402

HOLDFAST = None
FOLDER = None


def promised(example):
    """[(command, its output)] of the comment at the top; a command begins with "$ "."""
    said = []
    for line in (ROOT / "examples" / example / "main.cc").read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            return said
        if command := re.fullmatch(r"//   \$ (.*)", line):
            said.append((command[1], []))
        elif output := re.fullmatch(r"//   (.*)", line):
            said[-1][1].append(output[1])
    raise AssertionError(f"examples/{example}/main.cc is nothing but a comment")


def lines_of(example, command):
    return dict(promised(example))[command]


def program(name):
    return str(FOLDER / name / name)


class Examples(unittest.TestCase):
    def start(self, *command, **options):
        process = Process(command, stderr=subprocess.DEVNULL, **options)
        self.addCleanup(process.__exit__)
        return process

    def expect_line(self, process, line):
        self.assertEqual(process.lines.next(), line + "\n")

    def test_client(self):
        plane = ServeProcess(HOLDFAST)
        self.addCleanup(plane.__exit__)
        config = (ROOT / "examples/client/config/web.yaml").read_text(encoding="utf-8")
        self.assertIn("127.0.0.1:18000", config)
        plane.write("web.yaml", config.replace("127.0.0.1:18000", plane.ads))
        there = (ROOT / "examples/client/bootstrap.json").read_text(encoding="utf-8")
        env = environment(there.replace("127.0.0.1:18000", plane.ads))
        # The control plane reads the file at its own time.
        subprocess.run([HOLDFAST, "probe", "xds:///web", "--wait-for-ready"], env=env, check=True,
                       timeout=PATIENCE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for target, code in (("xds:///web", 0), ("xds:///billing", 14)):
            done = subprocess.run([program("client"), target], env=env, text=True, check=False,
                                  timeout=PATIENCE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
            # A long line is broken in the comment.
            line = " ".join(lines_of("client", f"./client {target}")) + "\n"
            self.assertEqual((done.stdout.replace(plane.ads, "127.0.0.1:18000"), done.returncode),
                             (line, code))

    def test_control_plane_and_watch_custom_type(self):
        # "> 100" is what one types, the next line is the answer.
        typed = lines_of("control_plane", "./control_plane")
        told = [line.removeprefix("> ") for line in typed[::2]]
        heard = lines_of("watch_custom_type", "./watch_custom_type")
        self.assertEqual((told, len(heard)), (["100", "0", "250"], 3))
        address = f"unix-abstract:holdfast-example-{os.getpid()}"
        plane = self.start(program("control_plane"), address, env=environment(None))
        plane.tell(told[0])
        self.expect_line(plane, typed[1])
        watch = self.start(program("watch_custom_type"), env=environment(bootstrap(address)))
        self.expect_line(watch, heard[0])
        for step in (1, 2):
            plane.tell(told[step])
            self.expect_line(plane, typed[2 * step + 1])
            self.expect_line(watch, heard[step])
        for process in (watch, plane):
            process.child.stdin.close()
            self.assertEqual(process.exit_code(), 0)
            self.assertIsNone(process.lines.next())

    def test_tp3_errors(self):
        done = subprocess.run([program("tp3_errors")], env=environment(None), text=True, check=True,
                              timeout=PATIENCE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.assertEqual(done.stdout.splitlines(), lines_of("tp3_errors", "./tp3_errors"))


if __name__ == "__main__":
    HOLDFAST = sys.argv.pop(1)
    FOLDER = Path(sys.argv.pop(1))
    unittest.main()
