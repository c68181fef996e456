"""What `./dev planted` calls caught, and everything that it must not call so.

Works on a project of a few text files, whose build and tests are greps.
"""

import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import planted  # noqa: E402

PROJECT = {
    "CMakeLists.txt": """\
cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES NONE)
enable_testing()
add_custom_target(compile ALL COMMAND grep -q sound ${CMAKE_SOURCE_DIR}/build.txt)
add_test(NAME value.is_good COMMAND grep -q good ${CMAKE_SOURCE_DIR}/value.txt)
add_test(NAME value.is_short COMMAND grep -qv long ${CMAKE_SOURCE_DIR}/value.txt)
add_test(NAME value.skips COMMAND sh -c "exit 77")
set_tests_properties(value.skips PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME other COMMAND true)
""",
    "CMakePresets.json":
        '{"version": 6, "configurePresets": [{"name": "dev", "generator": "Ninja",'
        ' "binaryDir": "${sourceDir}/build/${presetName}"}]}\n',
    ".gitignore": "/build/\n",
    "value.txt": "good\n",
    "build.txt": "sound\n",
}


def patch(name, old, new, tests="value", what="somebody forgot"):
    return (f"{what}\n\nTests: {tests}\n\ndiff --git a/{name} b/{name}\n"
            f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{old}\n+{new}\n")


BAD_VALUE = patch("value.txt", "good", "bad")
BAD_BUILD = patch("build.txt", "sound", "broken")
STALE = patch("value.txt", "gone", "bad")
HARMLESS = patch("value.txt", "good", "good indeed")
ELSEWHERE = patch("value.txt", "good", "bad", tests="^other$")
NO_TESTS = patch("value.txt", "good", "bad", tests="nothing_like_it")


class PlantedTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "project"
        (self.root / "tests/planted").mkdir(parents=True)
        for name, text in PROJECT.items():
            (self.root / name).write_text(text)

    def planted(self, *arguments, **patches):
        """(exit code, everything printed)."""
        for name, text in patches.items():
            (self.root / f"tests/planted/{name}.patch").write_text(text)
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = planted.main(arguments, self.root)
        return code, output.getvalue()

    def test_a_bug_that_turns_a_test_red_is_caught(self):
        code, output = self.planted("run", one=BAD_VALUE)
        self.assertIn("== one: somebody forgot\n   caught by: value.is_good\n", output)
        self.assertIn("1 of 1 planted bugs caught\n", output)
        self.assertEqual(code, 0)

    def test_bugs_are_planted_one_at_a_time_and_the_tree_is_left_alone(self):
        code, output = self.planted("run", a=BAD_VALUE,
                                    b=patch("value.txt", "good", "good and long"))
        self.assertIn("== a: somebody forgot\n   caught by: value.is_good\n", output)
        self.assertIn("== b: somebody forgot\n   caught by: value.is_short\n", output)
        self.assertEqual(code, 0)
        self.assertEqual((self.root / "value.txt").read_text(), "good\n")

    def test_only_the_named_one(self):
        code, output = self.planted("run", "b", a=HARMLESS, b=BAD_VALUE)
        self.assertEqual(code, 0, output)
        self.assertNotIn("== a", output)

    def test_an_unknown_name(self):
        code, output = self.planted("run", "c", a=HARMLESS, b=BAD_VALUE)
        self.assertEqual((code, output), (64, "no planted bug c; there are: a b\n"))

    def test_a_bug_that_no_test_notices(self):
        for name, text in {"harmless": HARMLESS, "elsewhere": ELSEWHERE}.items():
            with self.subTest(name):
                code, output = self.planted("run", name, **{name: text})
                self.assertIn(f"   {name}: NOT CAUGHT by the tests", output)
                self.assertEqual(code, 1)

    def test_a_skipped_test_catches_nothing(self):
        code, output = self.planted("run", one=patch("value.txt", "good", "bad", "skips"))
        self.assertIn("   one: its tests were skipped: value.skips\n", output)
        self.assertNotIn("NOT CAUGHT", output)
        self.assertIn("0 of 1 planted bugs caught", output)
        self.assertEqual(code, 1)

    def test_a_test_that_ran_beside_a_skipped_one_should_have_noticed(self):
        code, output = self.planted("run", one=patch("value.txt", "good", "bad", "skips|other"))
        self.assertIn("   one: NOT CAUGHT by the tests skips|other", output)
        self.assertEqual(code, 1)

    def test_a_patch_that_does_not_build_is_not_caught(self):
        code, output = self.planted("run", one=BAD_BUILD)
        self.assertIn("   one: does not build:", output)
        self.assertIn("0 of 1 planted bugs caught", output)
        self.assertEqual(code, 1)

    def test_a_patch_that_does_not_apply(self):
        for task in ("run", "apply"):
            with self.subTest(task):
                code, output = self.planted(task, one=STALE)
                self.assertIn("one: does not apply any more:\nerror: patch failed", output)
                self.assertEqual(code, 1)

    def test_a_regex_of_no_test(self):
        code, output = self.planted("run", one=NO_TESTS)
        self.assertIn("no test is called nothing_like_it", output)
        self.assertEqual(code, 1)

    def test_tests_that_are_red_without_a_bug_prove_nothing(self):
        (self.root / "value.txt").write_text("good\nlong\n")
        (self.root / "CMakeLists.txt").write_text(
            PROJECT["CMakeLists.txt"].replace("-qv long", "-q short"))
        code, output = self.planted("run", one=BAD_VALUE.replace("@@ -1 +1 @@", "@@ -1,2 +1,2 @@")
                                    + " long\n")
        self.assertIn("without any bug: red already: value.is_short (for one)", output)
        self.assertEqual(code, 1)

    def test_a_tree_that_does_not_build_proves_nothing(self):
        (self.root / "build.txt").write_text("broken\n")
        code, output = self.planted("run", one=BAD_VALUE)
        self.assertIn("without any bug: does not build", output)
        self.assertEqual(code, 1)

    def test_a_header_must_say_what_and_by_which_tests(self):
        diff = BAD_VALUE[BAD_VALUE.index("diff --git"):]
        for name, text, why in [
                ("mute", diff, "the first line must say what the bug is"),
                ("lost", "why\n" + diff, "needs one line `Tests:"),
                ("vague", "why\nTests:\n" + diff, "needs one line `Tests:")]:
            with self.subTest(name):
                code, output = self.planted("apply", **{name: text})
                self.assertIn(f"{name}.patch: {why}", output)
                self.assertEqual(code, 1)
                (self.root / f"tests/planted/{name}.patch").unlink()

    def test_apply_needs_no_git_and_no_build(self):
        self.assertEqual(self.planted("apply", one=BAD_VALUE, two=HARMLESS),
                         (0, "2 planted bugs, all of them apply\n"))
        self.assertFalse((self.root / "build").exists())

    def test_apply_inside_a_repository(self):
        subprocess.run(["git", "init", "--quiet", self.root], check=True)
        self.assertEqual(self.planted("apply", one=BAD_VALUE)[0], 0)
        self.assertEqual(self.planted("apply", one=STALE)[0], 1)

    def test_apply_in_an_ignored_folder_of_another_repository(self):
        subprocess.run(["git", "init", "--quiet", self.root.parent], check=True)
        (self.root.parent / ".gitignore").write_text("/project/\n")
        self.assertEqual(self.planted("apply", one=BAD_VALUE)[0], 0)
        self.assertEqual(self.planted("apply", one=STALE)[0], 1)

    def test_the_copy_has_new_files_and_loses_removed_ones(self):
        subprocess.run(["git", "init", "--quiet", self.root], check=True)
        field = planted.Field(self.root)
        (self.root / "new.txt").write_text("new\n")
        field.restore()
        before = (field.copy / "value.txt").stat().st_mtime_ns
        self.assertTrue((field.copy / "new.txt").is_file())
        self.assertFalse((field.copy / "build").exists())
        (self.root / "new.txt").unlink()
        (field.copy / "build").mkdir()
        (field.copy / "build/program").write_text("compiled")
        field.restore()
        self.assertTrue((field.copy / "build/program").exists())
        self.assertFalse((field.copy / "new.txt").exists())
        self.assertEqual((field.copy / "value.txt").stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main()
