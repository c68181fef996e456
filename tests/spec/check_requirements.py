#!/usr/bin/env python3
"""Which requirements are shown by tests that ran and passed.

    check_requirements.py build/asan/junit.xml build/dev/junit.xml [--list]

Reads requirements.txt beside this file (id, class, a line of words), the tags in the tests
(test_tags.py) and what ctest says of its last run. A tag that names no requirement or means no test
is an error. --list names the class-C requirements that wait for a test.
"""

import argparse
import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import test_tags  # noqa: E402

CLASS_C_COUNT = 98
# C: stated by one of the five documents the project is built on. D: by a document those cite.
# X: further away. R: our own reading, where no document decides.
REQUIREMENT = re.compile(r"(R\d+\.\d+|R\d+-T\d+[a-z]?|DEC-\d+) ([CDXR]) (\S.*)")
# gtest_discover_tests appends the value of a parameter that can be printed.
PRINTED_VALUE = re.compile(r"\s+# GetParam\(\) = .*", re.DOTALL)


@dataclass(frozen=True)
class Requirement:
    id: str
    cls: str
    words: str

    @property
    def counts(self):
        """Decisions (DEC) explain requirements; only requirements are counted."""
        return self.cls == "C" and self.id.startswith("R")


def read_requirements(text):
    """(requirements by id, errors)."""
    found, errors = {}, []
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        where = f"tests/spec/requirements.txt:{number}"
        match = REQUIREMENT.fullmatch(line)
        if not match:
            errors.append(f"{where}: not of the form <id> <C|D|X|R> <words>")
        elif match.group(1) in found:
            errors.append(f"{where}: {match.group(1)} again")
        elif len(line) > 100:
            errors.append(f"{where}: longer than 100 columns")
        else:
            found[match.group(1)] = Requirement(*match.groups())
    count = sum(requirement.counts for requirement in found.values())
    if count != CLASS_C_COUNT:
        errors.append(f"tests/spec/requirements.txt: {count} class-C requirements, "
                      f"not {CLASS_C_COUNT}")
    return found, errors


def read_junit(text):
    """[(test name, "passed" | "failed" | "skipped")]; two programs may have a test of one name."""
    outcomes = []
    for case in ElementTree.fromstring(text).iter("testcase"):
        status = case.get("status")
        skipped = case.find("skipped")
        why = skipped.get("message", "") if skipped is not None else ""
        if status == "run":
            outcome = "passed"
        elif status == "disabled" or (status == "notrun" and why.startswith("SKIP_")):
            outcome = "skipped"
        else:  # "fail", or not run because the program is missing
            outcome = "failed"
        outcomes.append((PRINTED_VALUE.sub("", case.get("name")), outcome))
    return outcomes


def read_runs(texts):
    """All outcomes of several runs. Skipped in one and passed in another is passed."""
    runs = [read_junit(text) for text in texts]
    passed = {name for run in runs for name, outcome in run if outcome == "passed"}
    return [(name, outcome) for run in runs for name, outcome in run
            if outcome != "skipped" or len(runs) == 1 or name not in passed]


def outcomes_of(tag, outcomes):
    pattern = re.compile(tag.tests)
    return [outcome for name, outcome in outcomes if pattern.fullmatch(name)]


def judge(requirements, tags, outcomes):
    """(ids shown, errors). An id is shown if a test of it passed, whole, and none failed."""
    passed, failed, errors = set(), set(), []
    for tag in tags:
        where = f"{tag.path}:{tag.line}: {tag.id}"
        if tag.id not in requirements:
            errors.append(f"{where} is no requirement of tests/spec/requirements.txt")
            continue
        if tag.is_prose:
            continue
        if tag.tests is None:
            errors.append(f"{where} is tied to no test: {tag.meant}")
            continue
        mine = outcomes_of(tag, outcomes)
        if not mine:
            errors.append(f"{where} is tied to no test that ctest knows: {tag.meant}")
        if "failed" in mine:
            failed.add(tag.id)
        elif mine and "skipped" not in mine:
            passed.add(tag.id)
    return passed - failed, errors


def report(requirements, shown, list_waiting):
    counted = [requirement for requirement in requirements.values() if requirement.counts]
    waiting = [requirement for requirement in counted if requirement.id not in shown]
    lines = [f"waits: {requirement.id} {requirement.words}"
             for requirement in waiting if list_waiting]
    return lines + [f"class C: shown {len(counted) - len(waiting)} of {len(counted)}"]


def check(root, requirements_text, junit_texts, list_waiting=False):
    """(lines to print, errors)."""
    requirements, errors = read_requirements(requirements_text)
    shown, tag_errors = judge(requirements, test_tags.find_tags(root), read_runs(junit_texts))
    return report(requirements, shown, list_waiting), errors + tag_errors


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("junit", type=Path, nargs="+", help="what ctest --output-junit wrote")
    parser.add_argument("--list", action="store_true", help="name those that wait for a test")
    options = parser.parse_args(arguments)
    spec = Path(__file__).resolve().parent
    lines, errors = check(spec.parents[1], (spec / "requirements.txt").read_text(encoding="utf-8"),
                          [junit.read_text(encoding="utf-8", errors="replace")
                           for junit in options.junit], options.list)
    print("\n".join([*errors, *lines]))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
