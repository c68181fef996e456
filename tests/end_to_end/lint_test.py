"""`holdfast lint` on directories with one mistake of each kind, and on one without.

    lint_test.py HOLDFAST PROTOSET
"""

# ctest: end_to_end.lint

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from lint_mistakes import BAD, CLEAN, ENVOY

PROGRAM = None
PROTOSET = None
PATIENCE = 60
IS_SANITIZED = any(part in ("asan", "tsan") for part in Path(sys.argv[1]).parts)
CLEAN_CLUSTER = """\
- "@type": type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
  cluster_name: "NAME"
"""
# Stands in a text right before the place that the problem is at.
MARK = "«»"


def run(*arguments, folder=None):
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(("HOLDFAST_", "GRPC_"))}
    done = subprocess.run([PROGRAM, "lint", *arguments], cwd=folder, env=environment, text=True,
                          encoding="utf-8", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    return done.returncode, done.stdout, done.stderr


def place_of_mark(text):
    before = text[:text.index(MARK)]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


class Lint(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        self.folder.joinpath(name).write_text(text, encoding="utf-8")

    def lint(self, *arguments):
        return run(*arguments, "--protoset", PROTOSET, folder=self.folder)


class OneMistakeOfEachKind(Lint):
    def setUp(self):
        super().setUp()
        self.folder = self.folder / "conf"
        self.folder.mkdir()
        self.expected = []
        for name, (text, kind, field, said) in BAD.items():
            self.write(name, text.replace(MARK, ""))
            line, column = place_of_mark(text)
            self.expected.append({"kind": kind, "file": f"./{name}", "line": line,
                                  "column": column, "field": field, "text": said})
        self.expected.sort(key=lambda problem: problem["file"])

    def test_each_is_found_at_its_place(self):
        code, out, err = self.lint("-o", "json", ".")
        said = json.loads(out)
        self.assertEqual(list(said), ["problems", "files", "resources", "errors", "warnings"])
        self.assertEqual(said["problems"], self.expected)
        kinds = [problem["kind"] for problem in self.expected]
        self.assertEqual((said["errors"], said["warnings"]),
                         (kinds.count("error"), kinds.count("warning")))
        self.assertEqual(code, 79)
        self.assertEqual(err, "holdfast lint: {files} files, {resources} resources: {errors} "
                              "errors, {warnings} warnings\n".format(**said))

    def test_as_text_it_is_one_line_each(self):
        code, out, _ = self.lint(".")
        self.assertEqual(code, 79)
        self.assertEqual(out.splitlines(), [
            "{file}:{line}:{column}: {kind}: ".format(**problem)
            + (problem["field"] and problem["field"] + ": ") + problem["text"]
            for problem in self.expected])

    def test_a_file_alone_says_the_same(self):
        for problem in self.expected:
            if "is defined twice" in problem["text"] or "is defined at" in problem["text"]:
                continue
            with self.subTest(problem["file"]):
                code, out, _ = self.lint("-o", "json", problem["file"])
                self.assertEqual(json.loads(out)["problems"], [problem])
                self.assertEqual(code, 79 if problem["kind"] == "error" else 0)
                self.assertEqual(self.lint("--strict", problem["file"])[0], 79)


class Clean(Lint):
    def test_what_envoys_documentation_shows_is_clean(self):
        self.write("envoy.yaml", ENVOY)
        code, out, err = self.lint("--strict", ".")
        self.assertEqual((code, out), (0, ""), err)
        self.assertEqual(err, "holdfast lint: 1 file, 2 resources: no problems\n")
        self.assertEqual(self.lint("-o", "json", ".")[:2],
                         (0, '{"problems":[],"files":1,"resources":2,"errors":0,"warnings":0}\n'))

    def test_a_cluster_that_grpc_would_refuse_is_clean_where_only_envoy_is_led_to_it(self):
        logical = ENVOY.replace("STRICT_DNS", "LOGICAL_DNS")
        self.write("envoy.yaml", logical)
        code, out, err = self.lint("--strict", ".")
        self.assertEqual((code, out), (0, ""), err)
        # Alone it could be for anybody.
        self.write("envoy.yaml", "resources:\n- " + logical.split("\n- ")[2])
        code, out, err = self.lint(".")
        self.assertEqual(code, 0, err)
        self.assertRegex(out, r"^\./envoy\.yaml:\d+:\d+: warning: resources\[0\]\.transport_socket"
                              r"\S*: grpc: must say how to check the server's certificate")

    def test_what_grpc_needs_is_clean(self):
        self.write("grpc.yaml", CLEAN)
        code, out, err = self.lint("--strict", ".")
        self.assertEqual((code, out), (0, ""), err)
        self.assertIn(": no problems\n", err)

    def test_what_is_no_configuration_is_not_read(self):
        self.write("good.yaml", CLEAN)
        self.write(".hidden.yaml", "{")
        self.write("README.md", "{")
        self.folder.joinpath("deeper").mkdir()
        self.write("deeper/bad.yaml", "{")
        self.assertEqual(self.lint(".")[0], 0)
        # Unless somebody asks for it by name.
        self.assertEqual(self.lint("README.md")[0], 79)

    def test_a_file_beside_its_directory_is_not_there_twice(self):
        self.write("good.yaml", CLEAN)
        code, out, err = self.lint(".", "good.yaml", "./good.yaml")
        self.assertEqual((code, out), (0, ""), err)
        self.assertIn(": 1 file, ", err)


class Memory(Lint):
    """What the program needs at most, as the system has measured it."""

    def peak(self, expected_code):
        """MiB. REQUIRES: what is to be linted is in the folder."""
        child = subprocess.Popen([PROGRAM, "lint", ".", "--protoset", PROTOSET], cwd=self.folder,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, expected_code)
        return usage.ru_maxrss // 1024

    @unittest.skipIf(IS_SANITIZED, "sanitizers take memory of their own")
    def test_a_big_file_takes_a_multiple_of_its_size(self):
        one = CLEAN_CLUSTER.replace("NAME", "n" * 900)
        count = 50_000_000 // len(one)
        self.write("big.yaml", "resources:\n" + "".join(
            CLEAN_CLUSTER.replace("NAME", f"{i:0>900}") for i in range(count)))
        self.assertGreater(self.folder.joinpath("big.yaml").stat().st_size, 49_000_000)
        self.assertLess(self.peak(0), 700)

    @unittest.skipIf(IS_SANITIZED, "sanitizers take memory of their own")
    def test_aliases_of_aliases_take_next_to_nothing(self):
        lines = ["a0: &a0 [" + ", ".join(["lol"] * 10) + "]"]
        lines += [f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 10) + "]" for i in range(1, 12)]
        self.write("bomb.yaml", "\n".join(lines) + "\n")
        self.assertLess(self.peak(79), 250)


class Ends(Lint):
    def test_an_unreadable_file_of_a_directory_is_a_problem(self):
        self.write("good.yaml", CLEAN)
        self.folder.joinpath("gone.yaml").symlink_to("nowhere.yaml")
        code, out, _ = self.lint(".")
        self.assertEqual((code, out), (79, "./gone.yaml: error: cannot be opened: No such file or "
                                           "directory\n"))

    def test_what_was_named_and_cannot_be_read_is_bad_input(self):
        code, out, err = self.lint("gone.yaml")
        self.assertEqual((code, out), (65, ""))
        self.assertIn('holdfast lint: "gone.yaml": cannot be opened: No such file', err)
        self.write("good.yaml", CLEAN)
        code, out, err = run("good.yaml", "--protoset", "gone.protoset", folder=self.folder)
        self.assertEqual((code, out), (65, ""))
        self.assertIn("gone.protoset", err)
        code, out, err = run("good.yaml", "--protoset", "good.yaml", folder=self.folder)
        self.assertEqual((code, out), (65, ""))

    def test_usage(self):
        code, out, err = run()
        self.assertEqual((code, out), (64, ""))
        self.assertIn("holdfast lint: nothing to check", err)
        code, _, err = run(".", "--stritc")
        self.assertEqual(code, 64)
        self.assertIn("did you mean --strict?", err)
        code, out, err = run("--help")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("holdfast lint /etc/holdfast/conf.d"), out)

    def test_an_empty_directory_is_remarked_on(self):
        code, out, err = self.lint(".")
        self.assertEqual((code, out), (0, ""))
        self.assertEqual(err, 'holdfast lint: "." holds no *.yaml, *.yml or *.json: '
                              'nothing to check\n')
        self.assertEqual(
            self.lint("-o", "json", "."),
            (0, '{"problems":[],"files":0,"resources":0,"errors":0,"warnings":0}\n', err))

    def test_a_quote_that_is_never_closed(self):
        for text in ('name: "web\n', "name: 'web\n", 'name: "web'):
            self.write("web.yaml", text)
            code, out, _ = self.lint("web.yaml")
            self.assertEqual(code, 79)
            self.assertEqual(out, "web.yaml:1:7: error: this quote is never closed\n")


if __name__ == "__main__":
    PROGRAM, PROTOSET = (os.path.abspath(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
