"""What a document may say, and what is found out."""

import contextlib
import io
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

    def test_a_piece_is_that_of_the_file(self):
        follow("<!-- from tests/docs/run_docs.py -->\n```python\nimport argparse\n...\nimport re\n"
               "```\n")
        self.expect_wrong("<!-- from tests/docs/run_docs.py -->\n```python\nimport nothing\n```\n",
                          "does not have, there, the line: import nothing")
        self.expect_wrong("<!-- from tests/nothing.py -->\n```python\nx\n```\n",
                          "there is no tests/nothing.py")

    def test_a_block_has_an_end(self):
        self.expect_wrong("```console\n$ true\n", "line 1: a block that does not end")


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        unittest.main()
