"""Splits a C++ file into code, comments and string literals, by line.

Checks that read source need to know that `"}"` closes no block, that `// getenv` calls nothing and
that `// R2.16` inside a string is no tag. This is no compiler: it knows literals and comments, and
nothing else of the language.
"""

import bisect
import re
from dataclasses import dataclass, field
from functools import cached_property

_TOKEN = re.compile(
    r"""
      (?P<line_comment>//(?:\\\n|[^\n])*)
    | (?P<block_comment>/\*.*?(?:\*/|\Z))
    | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?(?:\)(?P=delimiter)"|\Z))
    | (?P<string>"(?:\\.|[^"\\\n])*"?)
    | (?P<separator>(?<=[0-9a-fA-F])'(?=[0-9a-fA-F]))
    | (?P<char>'(?:\\.|[^'\\\n])*'?)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Piece:
    """A comment or a literal: where it starts, and its text without the marks around it."""

    offset: int
    line: int
    text: str


@dataclass
class Source:
    # The whole text with comments and literals turned into blanks: offsets and lines stay true.
    code: str
    comments: list[Piece] = field(default_factory=list)
    strings: list[Piece] = field(default_factory=list)

    @cached_property
    def _newlines(self):
        return [match.start() for match in re.finditer("\n", self.code)]

    def line_of(self, offset):
        return bisect.bisect_left(self._newlines, offset) + 1


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def _raw_body(match):
    return match.group("raw").split("(", 1)[1].removesuffix('"').removesuffix(
        match.group("delimiter")).removesuffix(")")


def split(text):
    """The Source of a file's text."""
    source = Source(code="")
    parts = []
    end = 0
    line = 1
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "separator":  # 1'000 is a number
            continue
        between = text[end:match.start()]
        line += between.count("\n")
        piece = match.group()
        if match.group("line_comment"):
            source.comments.append(Piece(match.start(), line, piece[2:]))
        elif match.group("raw"):
            source.strings.append(Piece(match.start(), line, _raw_body(match)))
        elif match.group("string"):
            source.strings.append(Piece(match.start(), line, piece.strip('"')))
        parts += [between, _blank(piece)]
        line += piece.count("\n")
        end = match.end()
    source.code = "".join(parts) + text[end:]
    return source
