"""Every rule of check_layers.py can fail, each with its own words, and a clean tree passes."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_layers  # noqa: E402

ROOMS = """\
base|base|PURE|
wire|wire|PURE,PROTOBUF_IN_CC|base
decode|wire/decode|PURE|base,wire
runtime|runtime||base
"""

# A small house in which everything is as it should be, the near misses included.
CLEAN = {
    "src/CMakeLists.txt": "add_subdirectory(base)\n",
    "src/base/README.md": "# base\n",
    "src/base/check.h": (
        "#pragma once\n#include <cstdio>\n#include <cstdlib>\n"
        '#define HOLDFAST_CHECK(c) (std::fprintf(stderr, "no"), std::abort())\n'),
    "src/base/name.h": "#pragma once\n#include <string>\n",
    "src/base/name.cc": (
        '#include "base/name.h"\n#include "absl/strings/str_cat.h"\n#include <cstdlib>\n'
        "// getenv and #include <thread> are only spoken of here\n"
        'int x = std::atoi("getenv(1)") + timer.exit() + fault->abort() + entry.time(0);\n'
        "Duration timeout(0); bool abort = operand(1); bool brand(int); int clock(3);\n"
        "// #include COMPUTED\n"
        "auto last = std::remove(names.begin(), names.end(), pick(first(a), b));\n"),
    "src/base/name_test.cc": (
        '#include "gtest/gtest.h"\n#include <gmock/gmock.h>\n#include "base/name.h"\n'
        '#include "tests/support/status_matchers.h"\n#include "base/examples_test.h"\n'
        "#include <random>\nstd::mt19937 dice(42);\n"),
    "src/base/examples_test.h": '#pragma once\n#include "tests/support/status_matchers.h"\n',
    "src/wire/ads.h": '#pragma once\n#include "base/name.h"\n',
    "src/wire/ads.cc": (
        '#include "wire/ads.h"\n#include "envoy/ads.pb.h"\n'
        '#include "google/protobuf/any.h"\n#include "re2/re2.h"\n'),
    "src/wire/decode/cluster.cc": '#include "wire/ads.h"\n#include <base/name.h>\n',
    "src/runtime/loop.cc": (
        '#include <thread>\n#include "grpcpp/grpcpp.h"\n#include "base/name.h"\n'
        'const char* home = getenv("HOME");\n'),
    "tests/support/status_matchers.h": "#pragma once\n",
    "tests/end_to_end/whole_test.cc": "#include <thread>\n",
}

# What is done to the clean tree, and the one error that must come of it.
PURE = "base is PURE: "
CASES = {
    "two types of one name": (
        {"src/wire/ads.h": "#pragma once\nstruct Name;\n\nstruct Name final : Base {\n};\n",
         "src/base/name.h": "#pragma once\nclass Name {\n  struct Part {};\n};\n",
         "src/base/check.h": "#pragma once\nclass Check {\n  struct Part {};\n};\n"},
        "src/wire/ads.h:4: Name is a type of src/base/name.h already: all are linked into one "
        "program"),
    "an undeclared arrow": (
        {"src/base/name.cc": '#include "base/name.h"\n\n#include "wire/ads.h"\n'},
        "src/base/name.cc:3: base may not see wire: no such arrow in its CMakeLists.txt"),
    "an undeclared arrow in angle brackets": (
        {"src/base/name.cc": "#include <wire/ads.h>\n"},
        "src/base/name.cc:1: base may not see wire: no such arrow in its CMakeLists.txt"),
    "a computed include": (
        {"src/runtime/loop.cc": "\n#include LOOP_HEADER\n"},
        "src/runtime/loop.cc:2: an include names its header, or no arrow can be read"),
    "an include of the next header": (
        {"src/base/name.cc": "#include_next <thread>\n"},
        "src/base/name.cc:1: an include names its header, or no arrow can be read"),
    "an arrow that is only transitive": (
        {"src/wire/decode/cluster.cc": '#include "runtime/loop.h"\n',
         "src/runtime/loop.h": "#pragma once\n"},
        "src/wire/decode/cluster.cc:1: decode may not see runtime: "
        "no such arrow in its CMakeLists.txt"),
    "the parent folder is another room": (
        {"src/wire/ads.cc": '#include "wire/decode/cluster.h"\n',
         "src/wire/decode/cluster.h": "#pragma once\n"},
        "src/wire/ads.cc:1: wire may not see decode: no such arrow in its CMakeLists.txt"),
    "an include of nothing we know": (
        {"src/runtime/loop.cc": '#include "boost/any.hpp"\n'},
        'src/runtime/loop.cc:1: "boost/any.hpp" is neither in src/ nor of a library we know'),
    "a file of no room": (
        {"src/wire/lost/found.cc": "\n"},
        "src/wire/lost/found.cc:1: belongs to no room: its folder has no holdfast_module()"),
    "an ending the build ignores": (
        {"src/wire/ads.cpp": "\n"},
        "src/wire/ads.cpp:1: src/ holds .h and .cc files, which is what the build looks for"),
    "gtest outside a test": (
        {"src/runtime/loop.cc": '#include "gtest/gtest.h"\n'},
        "src/runtime/loop.cc:1: gtest/gtest.h is for tests only"),
    "gmock outside a test, with angle brackets": (
        {"src/runtime/loop.cc": "#include <gmock/gmock.h>\n"},
        "src/runtime/loop.cc:1: gmock/gmock.h is for tests only"),
    "test support outside a test": (
        {"src/runtime/loop.cc": '#include "tests/support/status_matchers.h"\n'},
        "src/runtime/loop.cc:1: tests/support/status_matchers.h is for tests only"),
    "what tests share, outside a test": (
        {"src/base/name.cc": '#include "base/examples_test.h"\n'},
        "src/base/name.cc:1: base/examples_test.h is for tests only"),
    "protobuf in a header": (
        {"src/wire/ads.h": '#pragma once\n#include "envoy/ads.pb.h"\n'},
        "src/wire/ads.h:2: wire is PURE: protobuf in a header reaches everyone"),
    "the protobuf runtime in a header": (
        {"src/wire/ads.h": '#pragma once\n#include <google/protobuf/any.h>\n'},
        "src/wire/ads.h:2: wire is PURE: protobuf in a header reaches everyone"),
    "protobuf in a room without the flag": (
        {"src/base/name.cc": '#include "envoy/ads.pb.h"\n'},
        "src/base/name.cc:1: base is PURE: protobuf needs PROTOBUF_IN_CC"),
    "no pragma once": (
        {"src/base/name.h": "#include <string>\n"},
        "src/base/name.h:1: a header starts with #pragma once"),
    "no pragma once in test support": (
        {"tests/support/status_matchers.h": "\n"},
        "tests/support/status_matchers.h:1: a header starts with #pragma once"),
    "a long file": (
        {"src/base/name.h": "#pragma once\n" + "\n" * 450},
        "src/base/name.h:451: 451 lines: cut it by noun (guide 400)"),
    "a long test": (
        {"tests/end_to_end/whole_test.cc": "\n" * 451},
        "tests/end_to_end/whole_test.cc:451: 451 lines: cut it by noun (guide 400)"),
    "the C clock": (
        {"src/base/name.cc": "long now = std::time(nullptr);\n"},
        "src/base/name.cc:1: PURE code uses std::time(nullptr): that is a clock"),
    "check.h may print and abort, and nothing else": (
        {"src/base/check.h": '#pragma once\nint x = rand();\n'},
        "src/base/check.h:2: PURE code uses rand: that is randomness"),
    "dice that nobody seeded, in a test": (
        {"src/base/name_test.cc": "#include <random>\nint seed = std::random_device{}();\n"},
        "src/base/name_test.cc:2: PURE code uses random_device: that is randomness"),
    "a pure room's test is pure too": (
        {"src/base/name_test.cc": "#include <thread>\n"},
        "src/base/name_test.cc:1: " + PURE + "<thread> brings in threads"),
}

for word in sorted(check_layers.BAD_WORDS):
    CASES[f"a file called {word}"] = (
        {f"src/base/name_{word}.cc": "\n"},
        f'src/base/name_{word}.cc:1: "{word}" in a name says nothing: name the subject')

BANNED_HEADERS = {
    "threads": ["thread", "mutex", "shared_mutex", "condition_variable", "future", "atomic",
                "semaphore", "absl/synchronization/mutex.h"],
    "a clock": ["chrono", "ctime", "time.h", "absl/time/clock.h"],
    "randomness": ["random", "absl/random/random.h"],
    "files": ["fstream", "filesystem", "fcntl.h"],
    "the console": ["iostream"],
    "the system": ["sys/socket.h", "netinet/in.h", "arpa/inet.h", "unistd.h", "poll.h"],
    "gRPC": ["grpc/grpc.h", "grpcpp/grpcpp.h"],
}
for what, headers in BANNED_HEADERS.items():
    for header in headers:
        CASES[f"<{header}> in a pure room"] = (
            {"src/base/name.cc": f"\n#include <{header}>\n"},
            f"src/base/name.cc:2: {PURE}<{header}> brings in {what}")

BANNED_NAMES = {
    "the environment": ['getenv("A")', 'secure_getenv("A")', 'setenv("A", "b", 1)',
                        "absl::LocalTimeZone()"],
    "other processes": ['system("ls")', "fork()"],
    "randomness": ["rand()", "arc4random()", "arc4random_uniform(6)", "std::random_device{}()"],
    "files": ['fopen("a", "r")', 'std::ifstream("a")', 'std::remove("a, b")',
              "std::remove(path(a, b).c_str())"],
    "the console": ['printf("a")', 'std::fprintf(stderr, "a")', "std::cerr",
                    "std::fwrite(a, 1, 2, stdout)", "getchar()"],
    "a clock": ["absl::Now()", "std::chrono::steady_clock::now()", "clock()", "std::clock()"],
    "threads": ["absl::SleepFor(d)", "std::this_thread::yield()", "std::atomic<int>()"],
    "the end of the process": ["std::abort()", "exit(1)"],
}


def build(root, files):
    for name, text in files.items():
        path = Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def check(changes, rooms=ROOMS):
    with tempfile.TemporaryDirectory() as root:
        build(root, {**CLEAN, **changes})
        return check_layers.Checker(root, check_layers.read_rooms(rooms)).run()


class CheckLayersTest(unittest.TestCase):
    def test_a_clean_tree_passes(self):
        self.assertEqual(check({}), [])

    def test_every_rule_fails_with_its_own_words(self):
        for name, (changes, error) in CASES.items():
            with self.subTest(name):
                self.assertEqual(check(changes), [error])

    def test_every_banned_name_is_found(self):
        for what, calls in BANNED_NAMES.items():
            for call in calls:
                with self.subTest(call):
                    errors = check({"src/base/name.cc": f"\nauto x = {call};\n"})
                    self.assertEqual(len(errors), 1, errors)
                    self.assertRegex(
                        errors[0], rf"^src/base/name\.cc:2: PURE code uses .*: that is {what}$")

    def test_a_world_room_may_touch_the_world(self):
        for headers in BANNED_HEADERS.values():
            for header in headers:
                self.assertEqual(check({"src/runtime/loop.cc": f"#include <{header}>\n"}), [])

    def test_a_room_without_a_folder(self):
        self.assertEqual(check({}, ROOMS + "gone|gone|PURE|\n"),
                         ["src/gone:1: room gone has no folder"])

    def test_errors_come_all_at_once_and_in_order(self):
        errors = check({"src/base/name.cc": '#include <thread>\n#include "wire/ads.h"\n',
                        "src/base/name.h": "\n"})
        self.assertEqual([error.split(": ")[0] for error in errors],
                         ["src/base/name.cc:1", "src/base/name.cc:2", "src/base/name.h:1"])

    def test_wrong_use_is_no_success(self):
        script = Path(check_layers.__file__)
        done = subprocess.run([sys.executable, script], capture_output=True, check=False)
        self.assertEqual(done.returncode, 64)


if __name__ == "__main__":
    unittest.main()
