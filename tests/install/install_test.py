#!/usr/bin/env python3
"""What is installed works for others, also after it was moved.

    install_test.py BUILD-FOLDER FOLDER-TO-WORK-IN COMPILER PROTOSET
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = WORK = COMPILER = PROTOSET = None

VERSION = re.findall(r"HOLDFAST_VERSION_\w+ (\d+)\n",
                     (ROOT / "include/holdfast/version.h").read_text(encoding="utf-8"))
MAJOR, MINOR, _ = (int(part) for part in VERSION)
FULL_VERSION = ".".join(VERSION)

LIBRARIES = {f"lib/{name}{suffix}" for name in ("libholdfast.so", "libholdfast-control.so")
             for suffix in ("", f".{MAJOR}", f".{FULL_VERSION}")}
PACKAGES = {
    "lib/cmake/Holdfast/HoldfastConfig.cmake", "lib/cmake/Holdfast/HoldfastConfigVersion.cmake",
    "lib/cmake/Holdfast/HoldfastTargets.cmake", "lib/cmake/Holdfast/HoldfastTargets-*.cmake",
    "lib/pkgconfig/holdfast-xds.pc", "lib/pkgconfig/holdfast-grpc.pc",
    "lib/pkgconfig/holdfast-control.pc"
}

# Too old, and too new.
GRPC_OF_OTHERS = ("1.50.1", "1.80.0")
MADE_FOR = "Holdfast is made for 1.51 and newer, below 1.80"


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, timeout=240, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def write_package(folder, name, version):
    """A package for find_package(NAME CONFIG) that has a version and nothing else; its folder."""
    (Path(folder) / f"{name}Config.cmake").write_text("", encoding="utf-8")
    (Path(folder) / f"{name}ConfigVersion.cmake").write_text(
        f"set(PACKAGE_VERSION {version})\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n", encoding="utf-8")
    return folder


def files_below(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def with_ccache(*command):
    return ("ccache", *command) if shutil.which("ccache") else command


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.prefix = WORK / "prefix"
        first = WORK / "first"
        for folder in (cls.prefix, first):
            shutil.rmtree(folder, ignore_errors=True)
        run("cmake", "--install", BUILD, "--prefix", first)
        first.rename(cls.prefix)

    def expect_ok(self, program, **more):
        with tempfile.TemporaryDirectory() as directory:
            env = {name: value for name, value in os.environ.items()
                   if not name.startswith(("GRPC_", "HOLDFAST_"))}
            said = run(program, directory, env={**env, **more})
        self.assertEqual(said.splitlines()[-1], f"OK {MAJOR}.{MINOR}")

    def test_all_is_there_and_nothing_else(self):
        found = files_below(self.prefix)
        found = {re.sub(r"Targets-\w+\.cmake$", "Targets-*.cmake", name) for name in found}
        headers = {f"include/{name}" for name in files_below(ROOT / "include")}
        # Made of packages from a registry, which may have been out of reach.
        schema = {"share/holdfast/envoy.protoset"} if PROTOSET.exists() else set()
        self.assertEqual(found, {"bin/holdfast"} | LIBRARIES | PACKAGES | headers | schema)
        # Each header compiles alone: tests/headers.
        for name in headers:
            self.assertEqual((self.prefix / name).read_bytes(), (ROOT / name).read_bytes())
        for name in PACKAGES - {"lib/cmake/Holdfast/HoldfastTargets-*.cmake"}:
            self.assertNotIn(str(WORK), (self.prefix / name).read_text(encoding="utf-8"))

    def test_the_program_has_the_schema_of_its_own_prefix(self):
        program = self.prefix / "bin/holdfast"
        self.assertEqual(run(program, "--version"), f"holdfast {FULL_VERSION}\n")
        # A small one of its own, so that it is seen which one was taken.
        elsewhere = WORK / "elsewhere"
        shutil.rmtree(elsewhere, ignore_errors=True)
        (elsewhere / "share/holdfast").mkdir(parents=True)
        (elsewhere / "bin").mkdir()
        shutil.copy(program, elsewhere / "bin/holdfast")
        schema = elsewhere / "share/holdfast/envoy.protoset"
        schema.write_bytes(b"no protoset")
        for command in ([elsewhere / "bin/holdfast"], ["holdfast"]):
            done = subprocess.run([*command, "lint", ROOT / "examples/client/config"], text=True,
                                  stderr=subprocess.PIPE, check=False, timeout=60,
                                  env={**os.environ, "PATH": f"{elsewhere}/bin"})
            self.assertIn(f"protoset {schema}", done.stderr)
        shutil.rmtree(elsewhere)

    def test_cmake(self):
        build = WORK / "outside"
        # As if for the first time.
        (build / "CMakeCache.txt").unlink(missing_ok=True)
        run("cmake", "-G", "Ninja", "-S", HERE / "outside", "-B", build,
            f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={COMPILER}",
            f"-DCMAKE_CXX_COMPILER_LAUNCHER={shutil.which('ccache') or ''}",
            "-DCMAKE_CXX_STANDARD=17", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
        run("cmake", "--build", build)
        self.expect_ok(build / "consumer/consumer")
        # The examples do what they say: examples_test.py. Here they must be built, and find the
        # libraries.
        for example in sorted(path.parent.name for path in ROOT.glob("examples/*/main.cc")):
            needs = run("ldd", build / example / example)
            self.assertIn(f"{self.prefix}/lib/libholdfast.so.{MAJOR} ", needs)
            self.assertNotIn("not found", needs)
        self.assertIn("PERMISSION_DENIED (server_error)", run(build / "tp3_errors/tp3_errors"))

    def test_pkg_config(self):
        env = {**os.environ, "PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig")}
        for name in ("xds", "grpc", "control"):
            package = (self.prefix / f"lib/pkgconfig/holdfast-{name}.pc").read_text()
            self.assertIn(f"\nVersion: {FULL_VERSION}\n", package)
        for packages, source in ((["holdfast-grpc", "holdfast-control"], "main"),
                                 (["holdfast-xds"], "xds_alone")):
            flags = run("pkg-config", "--cflags", "--libs", *packages, env=env).split()
            cflags = [flag for flag in flags if flag.startswith(("-I", "-D"))]
            libs = [flag for flag in flags if flag not in cflags]
            made = WORK / f"{source}_by_pkg_config"
            run(*with_ccache(COMPILER, "-std=c++17", *cflags, "-c", HERE / f"consumer/{source}.cc",
                             "-o", f"{made}.o"))
            run(COMPILER, f"{made}.o", "-o", made, *libs)
            self.expect_ok(made, LD_LIBRARY_PATH=str(self.prefix / "lib"))

    def find(self, what, *definitions):
        """What CMake says to find_package(Holdfast ...)."""
        script = WORK / "find.cmake"
        script.write_text(f"find_package(Holdfast {what})\n", encoding="utf-8")
        done = subprocess.run(["cmake", f"-DCMAKE_PREFIX_PATH={self.prefix}", *definitions, "-P",
                               script],
                              stderr=subprocess.PIPE, text=True, check=False, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        return " ".join(done.stderr.split())

    def test_a_component_that_does_not_exist(self):
        self.assertIn('Holdfast has no component "server"; there are: xds grpc control',
                      self.find("CONFIG REQUIRED COMPONENTS xds server"))

    def test_another_version(self):
        for version in (f"{MAJOR}.{MINOR + 1}", f"{MAJOR + 1}.0"):
            self.assertIn(f'compatible with requested version "{version}"',
                          self.find(f"{version} CONFIG REQUIRED COMPONENTS xds"))

    def test_a_grpc_that_it_is_not_made_for(self):
        for version in GRPC_OF_OTHERS:
            with tempfile.TemporaryDirectory() as folder:
                write_package(folder, "absl", "20220623.0")
                self.assertIn(f"gRPC {version}: {MADE_FOR}", self.find(
                    "CONFIG REQUIRED COMPONENTS grpc", f"-Dabsl_DIR={folder}",
                    f"-DgRPC_DIR={write_package(folder, 'gRPC', version)}"))


class Parent(unittest.TestCase):
    def test_a_grpc_that_it_is_not_made_for(self):
        for version in GRPC_OF_OTHERS:
            with tempfile.TemporaryDirectory() as folder:
                with self.assertRaises(AssertionError) as refused:
                    run("cmake", "-G", "Ninja", "-S", HERE / "parent", "-B", f"{folder}/build",
                        f"-DCMAKE_CXX_COMPILER={COMPILER}",
                        f"-DgRPC_DIR={write_package(folder, 'gRPC', version)}")
                self.assertIn(f"gRPC {version}: {MADE_FOR}",
                              " ".join(str(refused.exception).split()))

    def test_sources_inside_another_project_bring_libraries_and_nothing_else(self):
        build = WORK / "parent"
        (build / "CMakeCache.txt").unlink(missing_ok=True)
        # Only tests and the program need these.
        without = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("GTest", "CLI11")]
        run("cmake", "-G", "Ninja", "-S", HERE / "parent", "-B", build,
            f"-DCMAKE_CXX_COMPILER={COMPILER}", *without)
        listed = run("ninja", "-C", build, "-t", "targets", "all")
        targets = set(re.findall(r"^([^\s/:]+): ", listed, re.MULTILINE))
        self.assertLessEqual({"app", "libholdfast.so", "libholdfast-control.so",
                              "libholdfast_client.a"}, targets)
        self.assertEqual({name for name in targets if name == "holdfast" or name == "client"
                          or re.search(r"_test$|^bench|^Nightly|^installables$", name)}, set())
        self.assertIn("Total Tests: 0", run("ctest", "--test-dir", build, "-N"))
        self.assertNotIn("file(INSTALL",
                         (build / "holdfast/cmake_install.cmake").read_text(encoding="utf-8"))


if __name__ == "__main__":
    BUILD, WORK = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
    COMPILER, PROTOSET = sys.argv.pop(1), Path(sys.argv.pop(1))
    WORK.mkdir(parents=True, exist_ok=True)
    unittest.main()
