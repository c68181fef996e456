#!/usr/bin/env python3
"""The arrows and the purity of the rooms, and a few habits, read from the sources.

    check_layers.py build/dev/rooms.txt

CMake knows which room depends on which, but a header of another room is found through the same
include path whether the arrow was declared or not. So this reads every include. A PURE room decides
and touches nothing: its sources are read for headers and calls that reach the world.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import cpp_source  # noqa: E402

LONGEST_FILE = 450
TREES = ("src", "include", "tests", "bench")
BAD_WORDS = {"util", "utils", "helper", "helpers", "common", "manager2", "impl"}
# A quoted include of these is a library's and no room's.
LIBRARIES = ("absl/", "google/", "grpc/", "grpcpp/", "re2/", "CLI/")
TEST_ONLY = ("gmock/", "gtest/", "tests/support/")

# Why a header keeps a room from being pure.
IMPURE_HEADERS = [
    (r"(thread|mutex|shared_mutex|condition_variable|future|atomic|stop_token|semaphore|latch"
     r"|barrier|pthread\.h)$|absl/synchronization/", "threads"),
    (r"(chrono|ctime|time\.h)$|absl/time/clock\.h$", "a clock"),
    (r"random$|absl/random/", "randomness"),
    (r"(fstream|filesystem|fcntl\.h|dirent\.h)$", "files"),
    (r"(iostream|syncstream)$", "the console"),
    (r"(sys|netinet|arpa|net|linux)/|(unistd|poll|netdb|csignal|signal)(\.h)?$", "the system"),
    (r"(grpc|grpcpp)/", "gRPC"),
]
# A test may roll dice that it seeds itself; std::random_device is found by its name.
PURE_ENOUGH_FOR_TESTS = {"random"}
PROTOBUF_HEADER = re.compile(r"google/protobuf/|.*\.pb\.h$")

# Why a name keeps a room from being pure. <cstdlib> and <cstdio> are allowed for what is harmless
# in them, so what is not is found by name; with "(" where the word alone may well be one of ours.
IMPURE_NAMES = [
    (r"(?:secure_)?getenv|setenv|unsetenv|putenv|LocalTimeZone\s*\(", "the environment"),
    (r"(?:system|popen|fork|execv\w*)\s*\(", "other processes"),
    (r"(?:rand|srand|drand48|arc4random\w*)\s*\(|random_device", "randomness"),
    (r"fopen|freopen|tmpfile|ifstream|ofstream|fstream", "files"),
    (r"(?:printf|fprintf|vfprintf|puts|fputs|fwrite|putchar|getchar|perror)\s*\("
     r"|std::(?:cout|cerr|clog)", "the console"),
    (r"absl::Now|absl::GetCurrentTimeNanos|clock_gettime|gettimeofday|system_clock|steady_clock"
     r"|clock\s*\(\s*\)", "a clock"),
    (r"SleepFor|this_thread|thread_local|std::(?:async|thread|mutex|atomic)\b|absl::Mutex",
     "threads"),
    (r"(?:abort|exit|_Exit|quick_exit)\s*\(", "the end of the process"),
]
# Of the namespace: what is indented is inside another type.
TYPE_DEFINITION = re.compile(
    r"^(?:struct|class|enum class)\s+(?:HOLDFAST_EXPORT\s+)?(\w+)\b(?!::)[^;{]*\{", re.MULTILINE)
# Only the C function is meant: `time` is too good a name for a method, and the std::remove of
# <algorithm>, which has three arguments or more, removes no file.
C_FUNCTIONS = [
    (re.compile(r"(?<![\w.>:])(?:std::|::)?time\s*\(\s*(?:0|NULL|nullptr|&\w+)\s*\)"), "a clock"),
    (re.compile(r"std::remove(?=\s*\((?:[^,()]|\((?:[^()]|\([^()]*\))*\))*\))"), "files"),
]
# HOLDFAST_CHECK prints and ends the process: that is its whole purpose.
NAME_EXEMPTIONS = {"src/base/check.h": {"the console", "the end of the process"}}

ANY_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\w*", re.MULTILINE)
INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")')


@dataclass(frozen=True)
class Room:
    name: str
    folder: str
    flags: frozenset
    depends: frozenset

    @property
    def pure(self):
        return "PURE" in self.flags


def read_rooms(text):
    """Rooms by folder, from lines name|folder|flags|dependencies."""
    rooms = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        name, folder, flags, depends = line.split("|")
        rooms[folder] = Room(name, folder, frozenset(filter(None, flags.split(","))),
                             frozenset(filter(None, depends.split(","))))
    return rooms


def name_pattern(names):
    # Not as a member: timer.exit() and fault->abort() are ours.
    return re.compile(r"(?<![\w.])(?<!->)(?:%s)(?:(?<=\()|(?!\w))" % names)


NAMES = [(name_pattern(names), what) for names, what in IMPURE_NAMES]
HEADERS = [(re.compile(names), what) for names, what in IMPURE_HEADERS]


def includes_of(text, source):
    """(line, header, quoted) of every include that is not commented out; a computed one has no
    header."""
    found = []
    for start in ANY_INCLUDE.finditer(text):
        hash_at = text.index("#", start.start())
        if source.code[hash_at] != "#":
            continue
        match = INCLUDE.match(text, start.start())
        header = match and (match.group(1) or match.group(2))
        found.append((source.line_of(hash_at), header, bool(match and match.group(2))))
    return found


def is_for_tests(header):
    return header.startswith(TEST_ONLY) or header.endswith("_test.h")


class Checker:
    def __init__(self, root, rooms):
        self.root = Path(root)
        self.rooms = rooms
        self.errors = []
        self.types = {}  # where a type of namespace holdfast is defined, by name

    def error(self, path, line, text):
        self.errors.append((str(path), line, text))

    def run(self):
        for folder, room in self.rooms.items():
            if not (self.root / "src" / folder).is_dir():
                self.error(f"src/{folder}", 1, f"room {room.name} has no folder")
        for tree in TREES:
            for path in sorted((self.root / tree).rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    self.check_file(path.relative_to(self.root))
        return [f"{path}:{line}: {text}" for path, line, text in sorted(self.errors)]

    def check_file(self, path):
        is_cpp = path.suffix in (".h", ".cc")
        in_src = path.parts[0] == "src"
        if is_cpp or in_src:
            self.check_name(path)
        if is_cpp:
            text = (self.root / path).read_text(encoding="utf-8")
            self.check_shape(path, text)
        if not in_src or path.name in ("CMakeLists.txt", "README.md"):
            return
        if not is_cpp:
            self.error(path, 1, "src/ holds .h and .cc files, which is what the build looks for")
            return
        room = self.rooms.get(path.parent.relative_to("src").as_posix())
        if room is None:
            self.error(path, 1, "belongs to no room: its folder has no holdfast_module()")
            return
        self.check_room_file(path, text, room)

    def check_name(self, path):
        words = re.split(r"[_/.]", path.as_posix())
        for word in sorted(BAD_WORDS.intersection(words)):
            self.error(path, 1, f'"{word}" in a name says nothing: name the subject')

    def check_shape(self, path, text):
        lines = text.count("\n")
        if lines > LONGEST_FILE:
            self.error(path, LONGEST_FILE + 1, f"{lines} lines: cut it by noun (guide 400)")
        if path.suffix == ".h" and not re.search(r"^#pragma once$", text, re.MULTILINE):
            self.error(path, 1, "a header starts with #pragma once")
        if path.suffix == ".h" and path.parts[0] in ("src", "include"):
            self.check_types(path, text)

    def check_types(self, path, text):
        """Two types of one name in one program: the linker keeps the functions of one of them."""
        if path.stem.endswith("_test"):
            return
        for match in TYPE_DEFINITION.finditer(text):
            name, line = match.group(1), text.count("\n", 0, match.start()) + 1
            other = self.types.setdefault(name, path)
            if other != path:
                self.error(path, line, f"{name} is a type of {other} already: all are linked into "
                                       "one program")

    def check_room_file(self, path, text, room):
        source = cpp_source.split(text)
        is_test = path.stem.endswith("_test")  # name_test.cc, or what such files share
        for line, header, quoted in includes_of(text, source):
            if header is None:
                self.error(path, line, "an include names its header, or no arrow can be read")
                continue
            self.check_arrow(path, line, header, quoted, room)
            if is_for_tests(header) and not is_test:
                self.error(path, line, f"{header} is for tests only")
            if room.pure and not (is_test and header in PURE_ENOUGH_FOR_TESTS):
                self.check_pure_include(path, line, header, room)
        if room.pure:
            self.check_pure_names(path, source)

    def check_arrow(self, path, line, header, quoted, room):
        if (self.root / "src" / header).is_file():
            self.check_declared(path, line, header, room)
        elif (self.root / "include" / header).is_file():
            return  # The public API is plain values and interfaces, which every room may see.
        elif (quoted and not header.startswith((*LIBRARIES, *TEST_ONLY))
              and not header.endswith(".pb.h")):
            self.error(path, line, f'"{header}" is neither in src/ nor of a library we know')

    def check_declared(self, path, line, header, room):
        other = self.rooms.get(Path(header).parent.as_posix())
        if other is None:
            self.error(path, line, f'"{header}" belongs to no room')
        elif other != room and other.name not in room.depends:
            self.error(path, line,
                       f"{room.name} may not see {other.name}: no such arrow in its CMakeLists.txt")

    def check_pure_include(self, path, line, header, room):
        for pattern, what in HEADERS:
            if pattern.match(header):
                self.error(path, line, f"{room.name} is PURE: <{header}> brings in {what}")
        if not PROTOBUF_HEADER.match(header):
            return
        if path.suffix == ".h":
            self.error(path, line, f"{room.name} is PURE: protobuf in a header reaches everyone")
        elif "PROTOBUF_IN_CC" not in room.flags:
            self.error(path, line, f"{room.name} is PURE: protobuf needs PROTOBUF_IN_CC")

    def check_pure_names(self, path, source):
        exempt = NAME_EXEMPTIONS.get(path.as_posix(), set())
        code = re.sub(r"^[ \t]*#[ \t]*include.*", lambda m: " " * len(m.group()), source.code,
                      flags=re.MULTILINE)
        found = [(match, what) for pattern, what in NAMES if what not in exempt
                 for match in pattern.finditer(code)]
        found += [(match, what) for pattern, what in C_FUNCTIONS
                  for match in pattern.finditer(code)]
        for match, what in found:
            name, line = match.group().rstrip("( "), source.line_of(match.start())
            self.error(path, line, f"PURE code uses {name}: that is {what}")


def main(arguments):
    if len(arguments) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 64
    root = Path(__file__).resolve().parents[2]
    rooms = read_rooms(Path(arguments[0]).read_text(encoding="utf-8"))
    errors = Checker(root, rooms).run()
    print("\n".join(errors) if errors else f"{len(rooms)} rooms, every arrow declared")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
