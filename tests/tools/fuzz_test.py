"""What tools/fuzz.py reads from libFuzzer, and when it reports a finding.

The fuzz targets are shell scripts that print what clang 14 prints.
"""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import fuzz  # noqa: E402

STARTED = """\
INFO: Running with entropic power schedule (0xFF, 100).
INFO: seed corpus: files: 2 min: 1b max: 8b total: 9b rss: 27Mb
#3\tINITED cov: 120 ft: 150 corp: 2/9b exec/s: 0 rss: 28Mb
#9\tNEW    cov: 121 ft: 152 corp: 3/12b lim: 4 exec/s: 0 rss: 28Mb L: 3/8 MS: 1 ChangeBit-
"""
FINISHED = """\
#5000\tDONE   cov: 140 ft: 200 corp: 7/40b lim: 60 exec/s: 2500 rss: 30Mb
Done 5000 runs in 2 second(s)
stat::number_of_executed_units: 5000
stat::average_exec_per_sec:     2500
stat::new_units_added:          5
"""
LINE = ("toy: 5000 executions, 2500/s, coverage 120 -> 140, features 150 -> 200, corpus 2 -> 7\n")


class FuzzTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "build/fuzz/tests/fuzz").mkdir(parents=True)
        (self.root / "tests/fuzz/corpus/toy").mkdir(parents=True)
        (self.root / "tests/fuzz/corpus/toy/seed").write_bytes(b"x" * 3000)
        (self.root / "tests/fuzz/toy_fuzzer.cc").write_text("")

    def fuzz(self, script, *arguments):
        program = self.root / "build/fuzz/tests/fuzz/fuzz_toy"
        program.write_text(f"#!/bin/bash\n{script}\n")
        program.chmod(0o755)
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = fuzz.main(arguments or ("2",), self.root)
        return code, output.getvalue()

    def printing(self, text, then=""):
        return f"cat >&2 <<'EOF'\n{text}EOF\n{then}"

    def test_a_run_without_a_finding_is_one_line(self):
        self.assertEqual(self.fuzz(self.printing(STARTED + FINISHED)), (0, LINE))

    def test_a_finding_fails_and_says_how_to_see_it_again(self):
        crash = self.root / "build/fuzz/findings/toy-crash-1"
        code, output = self.fuzz(self.printing(
            STARTED + f"==1==ERROR: AddressSanitizer\nTest unit written to {crash}\n", "exit 77"))
        self.assertEqual(code, 1)
        self.assertIn(f"toy: FINDING {crash}\n  again: ", output)
        self.assertIn(f"fuzz_toy {crash}\n", output)
        self.assertIn("toy: 9 executions", output)

    def test_a_finding_below_a_folder_with_a_space(self):
        code, output = self.fuzz(self.printing(
            STARTED + "artifact_prefix='/my clone/toy-'; Test unit written to /my clone/toy-crash-1"
            "\nBase64: eA==\n", "exit 77"))
        self.assertEqual(code, 1)
        self.assertIn("toy: FINDING /my clone/toy-crash-1\n  again: ", output)
        self.assertIn("fuzz_toy '/my clone/toy-crash-1'\n", output)

    def test_a_failure_without_a_finding_fails_too(self):
        code, output = self.fuzz(self.printing(STARTED + FINISHED, "exit 3"))
        self.assertEqual(code, 1)
        self.assertIn("toy: FAILED with exit 3", output)

    def test_a_program_that_never_starts_to_fuzz_fails(self):
        code, output = self.fuzz("echo nothing; exit 0")
        self.assertEqual(code, 1)
        self.assertIn("FAILED with exit 0 and no input to show for it\nnothing", output)

    def test_seeds_are_copied_and_the_limits_are_given(self):
        code, _ = self.fuzz('echo new >"$1/found"; echo "$@" >&2\n'
                            + self.printing(STARTED + FINISHED))
        self.assertEqual(code, 0)
        seeds = self.root / "tests/fuzz/corpus/toy"
        self.assertEqual([path.name for path in seeds.iterdir()], ["seed"])
        given = (self.root / "build/fuzz/toy.log").read_text().split("\n")[0]
        self.assertIn("-max_total_time=2 -max_len=6000 -rss_limit_mb=2048 -timeout=10", given)
        self.assertNotIn("-dict", given)

    def test_a_dictionary_is_used(self):
        (self.root / "tests/fuzz/toy.dict").write_text('"x"\n')
        self.fuzz('echo "$@" >&2\n' + self.printing(STARTED + FINISHED))
        self.assertIn(f"-dict={self.root}/tests/fuzz/toy.dict",
                      (self.root / "build/fuzz/toy.log").read_text())

    def test_a_target_without_seeds_fails(self):
        (self.root / "tests/fuzz/corpus/toy/seed").unlink()
        (self.root / "tests/fuzz/corpus/toy").rmdir()
        code, output = self.fuzz("exit 0")
        self.assertEqual(code, 1)
        self.assertIn("toy: FAILED: there is no", output)

    def test_an_unknown_target(self):
        self.assertEqual(self.fuzz("exit 0", "2", "tray"),
                         (64, "no such fuzz target; there are: toy\n"))

    def test_seconds_are_needed(self):
        self.assertEqual(self.fuzz("exit 0", "toy")[0], 64)


if __name__ == "__main__":
    unittest.main()
