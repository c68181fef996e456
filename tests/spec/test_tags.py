"""Finds requirement tags in test files and says which ctest tests each of them means.

    TEST(Protocol, Remembers) {  // R2.16        the test Protocol.Remembers
    {"Nack_Cached", kNacked, ...},  // R3-T07    a row of a table:
        TEST(Policy, AllRows) { for (... : kRows)        the test that walks the table, or
        INSTANTIATE_TEST_SUITE_P(..., ValuesIn(kRows)    the tests that end in /Nack_Cached
    # ctest: interop.schema                      what all tags of this file mean

A tag is an id in a `//` comment (or in a `#` comment of a Python file) of a test: on any line from
the comment above TEST to its closing brace, or on a row of a table outside all tests. What a C++
file says before its first line of code is about the file and no tag, though it must be an id.
`# ctest:` is for Python, and as `// ctest:` for C++ tests that ctest does not know one by one.
"""

import io
import re
import sys
import tokenize
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import cpp_source  # noqa: E402

TAG = re.compile(r"\b(?:R\d+\.\d+\w*|R\d+-T\w+|DEC-\w+)")
TEST = re.compile(r"^(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\(\s*(\w+)\s*,\s*(\w+)\s*\)",
                  re.MULTILINE)
CTEST_LINE = re.compile(r"(?:#|//)?\s*ctest:\s*(.+)")
# What opens a block of statements or declarations, in which no string names a row.
NO_ROW = re.compile(r"\)\s*(?:const|noexcept|override|mutable)*\s*(?:->[\w:<>\s]+)?$"
                    r"|\b(?:namespace|struct|class|enum|union)\b[^;{}]*$|\bextern\s*$|\]\s*$")

# `Row kRows[] =`, `std::vector<Row> Rows()`: what a table is called, before its opening brace.
OWNER = re.compile(r"\b(\w+)\s*(?:\[\w*\])?\s*=$|\b(\w+)\([^()]*\)$")
INSTANTIATE = re.compile(r"^INSTANTIATE_TEST_SUITE_P\(", re.MULTILINE)


@dataclass(frozen=True)
class Tag:
    id: str
    path: str
    line: int
    # Matches, from start to end, the names of the ctest tests that show it; None: none can.
    tests: str | None
    meant: str  # the same for a person
    is_prose: bool = False  # about the whole file: needs no test, and shows nothing


@dataclass(frozen=True)
class Test:
    first_line: int
    last_line: int
    macro: str
    suite: str
    name: str
    body: str

    @property
    def full_name(self):
        return f"{self.suite}.{self.name}"

    @property
    def pattern(self):
        """Matches what ctest calls it and its instances."""
        name = self.name.removeprefix("DISABLED_")
        if self.macro == "TEST_P":
            return rf"(?:.*/)?{self.suite}\.{name}/.*"
        if self.macro.startswith("TYPED"):
            return rf"(?:.*/)?{self.suite}(?:/.*)?\.{name}(?:<.*>)?"
        return rf"{self.suite}\.{name}"


@dataclass
class Group:
    """What stands between a pair of brackets, from the opening one to the closing one."""

    start: int
    end: int
    may_be_row: bool
    owner: str | None = None  # the variable or function that it is the value or the body of
    first_string: str | None = None  # of those in no group inside this one


def _groups(source):
    """Every (...) and {...}, outer before inner."""
    groups, open_groups = [], []
    marks = [(match.start(), match.group()) for match in re.finditer(r"[(){}]", source.code)]
    marks += [(string.offset, string) for string in source.strings]
    for offset, mark in sorted(marks, key=lambda mark: mark[0]):
        if isinstance(mark, cpp_source.Piece):
            if open_groups and open_groups[-1].first_string is None:
                open_groups[-1].first_string = mark.text
        elif mark in "({":
            before = source.code[max(0, offset - 200):offset].rstrip()
            may_be_row = mark == "(" or not NO_ROW.search(before)
            owner = OWNER.search(before) if mark == "{" else None
            open_groups.append(Group(offset, len(source.code), may_be_row,
                                     owner and (owner.group(1) or owner.group(2))))
            groups.append(open_groups[-1])
        elif open_groups:
            open_groups.pop().end = offset + 1
    return groups


def _named_tests(comments):
    """(pattern, names) of the lines `ctest: <name>[, <name>]` among comments; None without any."""
    names = [name.strip() for comment in comments
             for match in [CTEST_LINE.fullmatch(comment)] if match
             for name in match.group(1).split(",")]
    return ("|".join(map(re.escape, names)), ", ".join(names)) if names else None


def _body_end(code, start, groups):
    """The end of the block that follows TEST(...) at start."""
    brace = code.find("{", code.find(")", start))
    return next((group.end for group in groups if group.start == brace), len(code))


def _top_of_comment_above(line, comment_lines, code_lines):
    """The first of the comment lines that stand directly above this line."""
    while line - 1 in comment_lines and not code_lines[line - 2].strip():
        line -= 1
    return line


class _CppFile:
    def __init__(self, path, text):
        self.path = path
        self.source = cpp_source.split(text)
        self.groups = _groups(self.source)
        self.code_lines = self.source.code.split("\n")
        self.first_code_line = next((number for number, line in enumerate(self.code_lines, 1)
                                     if line.strip()), 1)
        self.tests = self._find_tests()
        self.named = _named_tests(comment.text for comment in self.source.comments)

    def _find_tests(self):
        code = self.source.code
        comment_lines = {comment.line for comment in self.source.comments}
        found = []
        for match in TEST.finditer(code):
            end = _body_end(code, match.start(), self.groups)
            first = _top_of_comment_above(self.source.line_of(match.start()), comment_lines,
                                          self.code_lines)
            found.append(Test(first, self.source.line_of(end - 1), *match.groups(),
                              body=code[match.end():end]))
        return found

    def tags(self):
        for comment in self.source.comments:
            for match in TAG.finditer(comment.text):
                tests, meant = self._meaning(comment)
                is_prose = tests is None and comment.line < self.first_code_line
                yield Tag(match.group(), self.path, comment.line, tests, meant, is_prose)

    def _meaning(self, comment):
        if self.named:
            return self.named
        for test in self.tests:
            if test.first_line <= comment.line <= test.last_line:
                return test.pattern, test.full_name
        line, row = self._row_of(comment)
        if row is None:
            return None, "neither in a test nor on a named row of a table"
        walkers = self._tests_that_walk(line)
        if walkers:
            return ("|".join(test.pattern for test in walkers),
                    ", ".join(test.full_name for test in walkers))
        suites = sorted({test.suite for test in self.tests if test.macro == "TEST_P"})
        prefix = rf"(?:.*/)?(?:{'|'.join(suites)})\.\w+" if suites else ".*"
        return f"{prefix}/{re.escape(row)}", f"the row {row}"

    def _row_of(self, comment):
        """(line, first string) of the row on this line; of the next one, for a comment alone."""
        line = comment.line
        row = self._row_on(line)
        while row is None and line < len(self.code_lines) and not self.code_lines[line - 1].strip():
            line += 1
            row = self._row_on(line)
        return line, row

    def _covers(self, group, line):
        first, last = self.source.line_of(group.start), self.source.line_of(group.end - 1)
        return first <= line <= last

    def _row_on(self, line):
        if any(test.first_line <= line <= test.last_line for test in self.tests):
            return None
        for group in self.groups:
            if group.may_be_row and group.first_string is not None and self._covers(group, line):
                return group.first_string
        return None

    def _tests_that_walk(self, line):
        """The tests that name the table of this line; none if its rows become tests themselves."""
        owners = {group.owner for group in self.groups if group.owner and self._covers(group, line)}
        if not owners:
            return []
        word = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(owners)))})\b")
        starts = {match.end() - 1 for match in INSTANTIATE.finditer(self.source.code)}
        if any(group.start in starts and word.search(self.source.code, group.start, group.end)
               for group in self.groups):
            return []
        return [test for test in self.tests if word.search(test.body)]


def cpp_tags(path, text):
    return list(_CppFile(path, text).tags())


def python_tags(path, text):
    comments = [(token.start[0], token.string)
                for token in tokenize.generate_tokens(io.StringIO(text).readline)
                if token.type == tokenize.COMMENT]
    tests, meant = _named_tests(comment for _, comment in comments) or (
        None, "the file has no line `# ctest: <name>`")
    return [Tag(tag, path, line, tests, meant)
            for line, comment in comments for tag in TAG.findall(comment)]


def find_tags(root):
    """Every tag of the tests under root, in the order of files and lines."""
    root = Path(root)
    tags = []
    for path in sorted([*root.glob("src/**/*_test.cc"), *root.glob("tests/**/*_test.cc")]):
        tags += cpp_tags(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
    for path in sorted(root.glob("tests/**/*.py")):
        tags += python_tags(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
    return tags
