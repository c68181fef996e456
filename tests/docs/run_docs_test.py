"""What a document may say, and what is found out."""

import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import run_docs


def follow(text):
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder) / "doc.md"
        document.write_text(text, encoding="utf-8")
        return run_docs.follow(document, "/bin/true")


class FollowingADocument(unittest.TestCase):
    def expect_wrong(self, text, *reasons):
        with self.assertRaises(run_docs.Wrong) as caught:
            follow(text)
        for reason in reasons:
            self.assertIn(reason, str(caught.exception))

    def test_a_command_prints_what_is_said(self):
        self.assertEqual(follow("```console\n$ echo one; echo two\none\ntwo\n```\n"), (1, []))

    def test_a_command_that_prints_something_else_is_wrong(self):
        self.expect_wrong("text\n```console\n$ echo one\ntwo\n```\n", "line 2: $ echo one",
                          "it prints   one\n   instead of  two")

    def test_a_command_that_prints_more_is_wrong(self):
        self.expect_wrong("```console\n$ echo one; echo two\none\n```\n", "it also prints: two")

    def test_a_command_that_prints_less_is_wrong(self):
        self.expect_wrong("```console\n$ echo one\none\ntwo\n```\n", "it does not print: two")

    def test_times_versions_and_spans_count_by_their_form(self):
        said = "16:04:44.730Z  OK  28.2ms  version 7f3a1b2c"
        printed = "09:00:00.001Z OK 1ms version 00000000"
        self.assertTrue(run_docs.agrees(said, printed))
        self.assertFalse(run_docs.agrees(said, printed.replace("OK", "FAILED")))

    def test_dots_stand_for_anything(self):
        follow("```console\n$ echo a b c; echo d; echo e\na ... c\n...\ne\n```\n")
        self.expect_wrong("```console\n$ echo a; echo b\n...\nc\n```\n", "no line like: c")

    def test_variables_and_files_stay(self):
        follow("```yaml\n# conf/a.yaml\nx: 1\n```\n```console\n$ export A=conf/a.yaml\n$ cat $A\n"
               "x: 1\n```\n")

    def test_a_command_goes_on_over_lines(self):
        follow("```console\n$ echo 'one\ntwo'\none\ntwo\n$ echo three \\\nfour\nthree four\n```\n")

    def test_what_runs_beside_is_waited_for_and_can_be_stopped(self):
        follow("```console\n$ bash -c 'sleep 0.2; echo ready; exec sleep 60' &\nready\n$ kill %1\n```\n")
        self.expect_wrong("```console\n$ echo no &\nready\n```\n", "it does not print: ready")

    def test_a_block_says_why_it_is_not_run(self):
        self.assertEqual(follow("<!-- not run: no time -->\n```console\n$ false\nx\n```\n"),
                         (0, ["line 2: no time"]))
        self.expect_wrong("```cmake\nproject(x)\n```\n", "say why it is not run")

    def test_a_command_that_fails_is_wrong(self):
        self.expect_wrong("```console\n$ false\n```\n", "line 1: $ false",
                          "it ends with exit code 1 instead of 0")

    def test_a_command_may_be_said_to_fail(self):
        said = "<!-- exit codes: 0 3 -->\n```console\n$ true\n$ {}\n```\n"
        follow(said.format("(exit 3)"))
        self.expect_wrong(said.format("(exit 4)"), "it ends with exit code 4 instead of 3")
        self.expect_wrong(said.format("true"), "it ends with exit code 0 instead of 3")
        self.expect_wrong(said.format("true\n$ true"), "has 3 commands and 2 exit codes")

    def test_what_runs_beside_must_not_fail(self):
        self.expect_wrong("```console\n$ bash -c 'echo x; exit 3' &\nx\n$ sleep 0.5\n```\n",
                          "it ended with exit code 3")

    def test_blank_lines_count(self):
        follow("```console\n$ echo one; echo; echo two\none\n\ntwo\n```\n")
        self.expect_wrong("```console\n$ echo one; echo; echo two\none\ntwo\n```\n",
                          "it prints   \n   instead of  two")
        self.expect_wrong("```console\n$ echo one; echo two\none\n\ntwo\n```\n",
                          "it prints   two\n   instead of  ")

    def test_a_piece_is_that_of_the_file(self):
        piece = "<!-- from tests/docs/run_docs.py -->\n```python\nimport argparse\n{}import sys\n```\n"
        follow(piece.format("# ...\n"))
        self.expect_wrong(piece.format(""), "does not have, there, the line: import sys")
        self.expect_wrong(piece.format("...\n"), "does not have, there, the line: ...")
        self.expect_wrong("<!-- from tests/docs/run_docs.py -->\n```python\nimport nothing\n```\n",
                          "does not have, there, the line: import nothing")
        self.expect_wrong("<!-- from tests/nothing.py -->\n```python\nx\n```\n",
                          "there is no tests/nothing.py")

    def test_all_of_a_file_is_all_of_it(self):
        lines = (run_docs.ROOT / "examples/tp3_errors/main.cc").read_text(encoding="utf-8").splitlines()
        below = next(i for i, line in enumerate(lines) if not line.startswith("//"))
        block = "<!-- all of examples/tp3_errors/main.cc -->\n```cpp\n{}\n```\n"
        follow(block.format("\n".join(lines[below:])))
        self.expect_wrong(block.format("\n".join(lines[below:-1])),
                          "is not all of examples/tp3_errors/main.cc: it goes another way after "
                          f"line {len(lines) - below - 1} of the block")

    def test_what_was_not_run_is_written_down(self):
        with tempfile.TemporaryDirectory() as folder:
            document, report = Path(folder) / "doc.md", Path(folder) / "not_run.txt"
            document.write_text("<!-- not run: no time -->\n```\nx\n```\n", encoding="utf-8")
            done = subprocess.run([sys.executable, run_docs.__file__, "--program", "/bin/true",
                                   "--not-run", report, document], check=False,
                                  stdout=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(report.read_text(encoding="utf-8"),
                             f"not run: {document}: line 2: no time\n")

    def test_a_block_has_an_end(self):
        self.expect_wrong("```console\n$ true\n", "line 1: a block that does not end")


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        unittest.main()
