#!/usr/bin/env python3
"""What the shared libraries export is what include/ marks HOLDFAST_EXPORT: all of that, no more.

    check_exports.py INCLUDE LIBHOLDFAST.so LIBHOLDFAST-CONTROL.so

The headers of control/ belong to libholdfast-control, the others to libholdfast. No generated
message and no instance of a template from elsewhere may be exported: it would be merged with
another library's, of another version, in the same process. And of what libholdfast exports the
other one has no copy, not even a hidden one: a process has one log and one list of clients.
"""

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import cpp_source  # noqa: E402

DECLARATION = re.compile(
    r"""
      (?P<type>\b(?:class|struct)\s+(?P<exported>HOLDFAST_EXPORT\s+)?(?P<name>\w+)[^;{}()]*\{)
    | (?P<open>\{) | (?P<close>\})
    | HOLDFAST_EXPORT\s+(?:[^;{}()]*?[\s&*])??
      (?:(?P<function>~?\w+|operator[^\s\w(]+)\s*\(|(?P<variable>\w+)\s*;)
    """, re.VERBOSE)
SYMBOL = re.compile(r"(?:(?:vtable|typeinfo|typeinfo name) for )?"
                    r"holdfast((?:::(?:operator[^\s\w(]+|~?\w+))+)")


@dataclass
class Declared:
    """Names without "holdfast::"."""

    things: set = field(default_factory=set)  # functions and variables
    classes: set = field(default_factory=set)  # that are exported as a whole

    def covers(self, name):
        return name in self.things or any(name == it or name.startswith(it + "::")
                                          for it in self.classes)


def declared_in(text):
    """What a header marks HOLDFAST_EXPORT."""
    found = Declared()
    around = []  # the name of each block that is open, None where it has none
    code = re.sub(r"^[ \t]*#.*$", "", cpp_source.split(text).code, flags=re.MULTILINE)
    for match in DECLARATION.finditer(code):
        scope = "".join(f"{name}::" for name in around if name)
        if match["type"]:
            if match["exported"]:
                found.classes.add(scope + match["name"])
            around.append(match["name"])
        elif match["open"]:
            around.append(None)
        elif match["close"]:
            around.pop()
        else:
            found.things.add(scope + (match["function"] or match["variable"]))
    return found


def declared_by(headers):
    all_of_them = Declared()
    for header in headers:
        one = declared_in(header.read_text(encoding="utf-8"))
        all_of_them.things |= one.things
        all_of_them.classes |= one.classes
    return all_of_them


@dataclass
class Library:
    """`exported` and `hidden` by demangled name: the letter of nm. `wanted`: what it has not."""

    name: str
    exported: dict
    wanted: set
    hidden: dict
    needs: set


def name_of(symbol):
    """"XdsClient::Create" of holdfast::XdsClient::Create(...); None if it is not ours."""
    match = SYMBOL.match(re.sub(r"\[abi:\w+\]", "", symbol))
    return match and match[1].removeprefix("::")


def check(library, control, declared, declared_control):
    """A line for each mistake."""
    wrong = []
    for it, ours in ((library, declared), (control, declared_control)):
        names = set()
        for symbol in sorted(it.exported):
            name = name_of(symbol)
            if name is None:
                wrong.append(f"{it.name} exports what is not holdfast's: {symbol}")
            elif not ours.covers(name):
                wrong.append(f"{it.name} exports what none of its headers marks: {symbol}")
            names.add(name)
        for thing in sorted(ours.things - names):
            wrong.append(f"{it.name} lacks holdfast::{thing}, which a header marks "
                         "(is its file among the ROOTS in cmake/HoldfastLibraries.cmake?)")
    for symbol in sorted(control.wanted):
        if name_of(symbol) is not None and symbol not in library.exported:
            wrong.append(f"{control.name} wants what {library.name} does not export: {symbol}")
    for symbol, letter in sorted(library.exported.items()):
        if letter not in "VWu" and control.hidden.get(symbol, "W") not in "VWu":
            wrong.append(f"{control.name} has a copy of {symbol}, which {library.name} exports")
    if library.name not in control.needs:
        wrong.append(f"{control.name} does not need {library.name}")
    for name in sorted(library.needs):
        if re.match(r"lib(yaml-cpp|cpp-httplib|holdfast)", name):
            wrong.append(f"{library.name} needs {name}, which is the control plane's")
    return wrong


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def symbols(*arguments):
    """(name, letter) of each, by nm."""
    for line in output_of("nm", "--demangle", "--format=posix", *arguments).splitlines():
        # The name has blanks in it; after it come the letter, and if it is defined two numbers.
        match = re.fullmatch(r"(.*) ([A-Za-z])(?: +[0-9a-f]+)* *", line)
        yield match[1], match[2]


def read_library(path):
    needs = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "--dynamic", "--wide", path))
    soname = re.search(r"\(SONAME\).*\[(.*)\]", output_of("readelf", "--dynamic", "--wide", path))
    return Library(soname[1], dict(symbols("--dynamic", "--defined-only", path)),
                   {name for name, _ in symbols("--dynamic", "--undefined-only", path)},
                   dict(symbols("--defined-only", path)), set(needs))


def main(include, library_path, control_path):
    headers = set(Path(include).rglob("*.h"))
    of_control = set((Path(include) / "holdfast/control").rglob("*.h"))
    library, control = read_library(library_path), read_library(control_path)
    wrong = check(library, control, declared_by(headers - of_control), declared_by(of_control))
    for it, soname in ((library, "libholdfast.so.0"), (control, "libholdfast-control.so.0")):
        if it.name != soname:
            wrong.append(f"{it.name} should be {soname}")
        print(f"{it.name}: {len(it.exported)} symbols")
        for symbol in sorted(it.exported):
            print(f"  {it.exported[symbol]} {symbol}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
