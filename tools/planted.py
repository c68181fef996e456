#!/usr/bin/env python3
"""Plants known bugs and expects the tests to catch them.

    planted.py run [NAME]     plant each bug of tests/planted, or one, in a copy; build; expect red
    planted.py apply          only see that every patch still applies to the tree

A bug is tests/planted/NAME.patch: what is wrong and why it is plausible, a line
`Tests: <regex for ctest -R>` with the tests that should notice, and the diff. A patch that does not
build proves nothing, and neither does a test that is red without the bug.
"""

import argparse
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class Failed(Exception):
    pass


@dataclass(frozen=True)
class Outcome:
    """Names of tests."""
    red: list
    skipped: list
    others: list


@dataclass(frozen=True)
class Bug:
    name: str
    patch: Path
    what: str   # the first line of the patch
    tests: str  # the regex of its line "Tests:"


def read_bug(patch):
    header = patch.read_text(encoding="utf-8").split("\ndiff --git ")[0].splitlines()
    tests = [line.removeprefix("Tests:").strip() for line in header if line.startswith("Tests:")]
    if not header or not header[0].strip() or header[0].startswith(("Tests:", "diff ", "---")):
        raise Failed(f"{patch.name}: the first line must say what the bug is")
    if len(tests) != 1 or not tests[0]:
        raise Failed(f"{patch.name}: needs one line `Tests: <regex for ctest -R>` above the diff")
    return Bug(patch.stem, patch, header[0].strip(), tests[0])


def run(command, cwd, log=None):
    """Output and exit code; the output also goes to the end of a log file."""
    # Without the ceiling git would take a copy inside build/ for a part of the tree around it.
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(Path(cwd).parent),
                   "CCACHE_BASEDIR": str(cwd)}
    done = subprocess.run(command, cwd=cwd, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if log:
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"$ {' '.join(map(str, command))}\n{done.stdout}\n")
    return done.returncode, done.stdout


def apply_patch(bug, tree, *, check_only=False):
    mode = ["--check"] if check_only else []
    code, output = run(["git", "apply", *mode, str(bug.patch)], tree)
    if code:
        raise Failed(f"{bug.name}: does not apply any more:\n{output.strip()}")


def files_of(root):
    """What belongs to the tree: tracked, or new and not ignored; without git, all but build/."""
    code, output = run(["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"], root)
    if code == 0:
        names = [name for name in output.split("\0") if name]
    else:
        names = [str(path.relative_to(root)) for path in root.rglob("*")]
        names = [name for name in names if not name.startswith(("build/", ".git/"))]
    return sorted(name for name in names if (root / name).is_file())


def same(a, b):
    return b.is_file() and not b.is_symlink() and a.read_bytes() == b.read_bytes()


def copy_tree(root, copy):
    """Makes copy equal to root, its build/ aside. What is equal keeps its time, for ninja."""
    wanted = set(files_of(root))
    for name in wanted:
        if not same(root / name, copy / name):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, copy / name)
            shutil.copymode(root / name, copy / name)
    for path in list(copy.rglob("*")):
        name = str(path.relative_to(copy))
        if path.is_file() and name not in wanted and not name.startswith("build/"):
            path.unlink()


class Field:
    """The copy in which bugs are planted, and its build."""

    def __init__(self, root):
        self.root = root
        self.copy = root / "build/planted/src"
        # Where the preset puts it: with the same paths below the root, ccache knows most of it.
        self.build_dir = self.copy / "build/dev"
        self.log = root / "build/planted/log.txt"
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.log.unlink(missing_ok=True)

    def restore(self):
        copy_tree(self.root, self.copy)

    def build(self):
        code, output = run(["cmake", "--preset", "dev",
                            f"-DHOLDFAST_PEERS={self.root}/build/peers",
                            f"-DHOLDFAST_PROTOSET={self.root}/build/protoset/envoy.protoset"],
                           self.copy, self.log)
        if code == 0:
            code, output = run(["cmake", "--build", str(self.build_dir)], self.copy, self.log)
        if code:
            raise Failed("does not build:\n" + "\n".join(output.splitlines()[-15:]))

    def test(self, regex):
        """The Outcome of the tests of the regex."""
        junit = self.build_dir / "planted.xml"
        junit.unlink(missing_ok=True)
        run(["ctest", "--test-dir", str(self.build_dir), "--parallel", str(os.cpu_count()),
             "-R", regex, "--output-on-failure", "--output-junit", str(junit)], self.copy, self.log)
        cases = list(ElementTree.parse(junit).iter("testcase")) if junit.is_file() else []
        if not cases:
            raise Failed(f"no test is called {regex}")
        outcome = Outcome([], [], [])
        for case in cases:
            skip = case.find("skipped")
            # "notrun" without a reason to skip means that the program is missing.
            if skip is not None and skip.get("message", "").startswith("SKIP_"):
                names = outcome.skipped
            else:
                names = outcome.red if case.get("status") in ("fail", "notrun") else outcome.others
            names.append(case.get("name").split("  # GetParam")[0])
        return outcome


def check_green(field, bugs):
    """The tests that are to catch the bugs must pass without them."""
    print("== without any bug", flush=True)
    field.restore()
    try:
        field.build()
        for bug in bugs:
            red = field.test(bug.tests).red
            if red:
                raise Failed(f"red already: {', '.join(red)} (for {bug.name})")
    except Failed as failure:
        raise Failed(f"without any bug: {failure}") from failure


def plant(field, bug):
    """The tests that caught it."""
    print(f"== {bug.name}: {bug.what}", flush=True)
    field.restore()
    apply_patch(bug, field.copy)
    try:
        field.build()
        outcome = field.test(bug.tests)
    except Failed as failure:
        raise Failed(f"{bug.name}: {failure}") from failure
    if outcome.skipped and not outcome.red and not outcome.others:
        raise Failed(f"{bug.name}: its tests were skipped: {', '.join(outcome.skipped)}")
    if not outcome.red:
        raise Failed(f"{bug.name}: NOT CAUGHT by the tests {bug.tests}: a net is missing")
    return outcome.red


def all_bugs(root):
    return [read_bug(patch) for patch in sorted((root / "tests/planted").glob("*.patch"))]


def do_apply(root):
    bugs = all_bugs(root)
    failures = []
    for bug in bugs:
        try:
            apply_patch(bug, root, check_only=True)
        except Failed as failure:
            failures.append(str(failure))
    print("\n".join(failures) if failures else f"{len(bugs)} planted bugs, all of them apply")
    return 1 if failures else 0


def do_run(root, name):
    bugs = all_bugs(root)
    if name is not None:
        known = [bug.name for bug in bugs]
        bugs = [bug for bug in bugs if bug.name == name]
        if not bugs:
            print(f"no planted bug {name}; there are: {' '.join(known)}", file=sys.stderr)
            return 64
    field = Field(root)
    check_green(field, bugs)
    failures = 0
    for bug in bugs:
        try:
            print(f"   caught by: {', '.join(plant(field, bug))}", flush=True)
        except Failed as failure:
            failures += 1
            print(f"   {failure}", flush=True)
    print(f"{len(bugs) - failures} of {len(bugs)} planted bugs caught"
          + (f"; what happened is in {field.log}" if failures else ""))
    return 1 if failures else 0


def main(arguments, root=ROOT):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    tasks = parser.add_subparsers(dest="task", required=True)
    tasks.add_parser("run").add_argument("name", nargs="?")
    tasks.add_parser("apply")
    options = parser.parse_args(arguments)
    try:
        return do_apply(root) if options.task == "apply" else do_run(root, options.name)
    except Failed as failure:
        print(f"planted: {failure}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
