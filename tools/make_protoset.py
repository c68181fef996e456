#!/usr/bin/env python3
"""Writes every message of the xDS APIs, as descriptors, to build/protoset/envoy.protoset.

    make_protoset.py                    build/protoset/envoy.protoset from build/peers, if not there
    make_protoset.py --from-peers FILE  only with build/peers/bin/python: writes FILE

The control plane turns YAML into bytes with it (src/control/config/schema.h). The descriptors are
those inside the pinned packages of tests/interop/requirements.txt; nothing of them is committed. If
the registry of these packages was out of reach, this says so and goes on: the control plane then
knows only the small schema that is part of it.
"""

import hashlib
import importlib
import importlib.util
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEERS = ROOT / "build/peers"
PROTOSET = ROOT / "build/protoset/envoy.protoset"

# Python packages whose generated modules are read, and everything that they import.
TREES = ("envoy", "xds", "udpa", "google.rpc")

# Fewer files than this mean that the package is not what it was.
LEAST_FILES = 500


def generated_modules(tree):
    # Namespace packages have no __init__.py, and pkgutil does not look into those: walk the files.
    spec = importlib.util.find_spec(tree)
    if spec is None:
        raise SystemExit(f"make_protoset: no python package {tree!r} beside {sys.executable}")
    for location in spec.submodule_search_locations:
        for path in sorted(pathlib.Path(location).rglob("*_pb2.py")):
            parts = path.relative_to(location).with_suffix("").parts
            yield ".".join((tree, *parts))


def collect(file, into):
    """Adds the file after everything that it imports."""
    if file.name in into:
        return
    for dependency in file.dependencies:
        collect(dependency, into)
    into[file.name] = file.serialized_pb


def write_from_peers(out):
    """Needs the packages: importing their modules gives their descriptors."""
    from google.protobuf import descriptor_pb2  # pylint: disable=import-outside-toplevel

    files = {}
    for tree in TREES:
        for module in generated_modules(tree):
            try:
                descriptor = importlib.import_module(module).DESCRIPTOR
            except Exception as error:  # Generated code may fail in any way.
                print(f"make_protoset: {module} left out: {error}", file=sys.stderr)
                continue
            collect(descriptor, files)
    if len(files) < LEAST_FILES:
        raise SystemExit(f"make_protoset: only {len(files)} files, expected {LEAST_FILES} or more")
    protoset = descriptor_pb2.FileDescriptorSet()
    for serialized in files.values():
        protoset.file.add().ParseFromString(serialized)
    out.parent.mkdir(parents=True, exist_ok=True)
    unfinished = out.with_name(out.name + ".unfinished")
    unfinished.write_bytes(protoset.SerializeToString(deterministic=True))
    unfinished.replace(out)


def wanted_stamp(peers):
    installed = (peers / "requirements.sha256").read_bytes()
    return hashlib.sha256(installed + pathlib.Path(__file__).read_bytes()).hexdigest()


def make(peers, protoset):
    """Exit code. Quick if the protoset is already that of these peers."""
    if not (peers / "requirements.sha256").is_file():
        # An old protoset is still better than the embedded schema.
        have = "the one of an earlier setup stays" if protoset.is_file() else \
            "the control plane will know only its embedded schema"
        print(f"make_protoset: no packages in {peers}, so no full protoset; {have}",
              file=sys.stderr)
        return 0
    stamp = protoset.with_name(protoset.name + ".sha256")
    wanted = wanted_stamp(peers)
    if protoset.is_file() and stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return 0
    print(f"== setup: writing {protoset.relative_to(ROOT)}", flush=True)
    done = subprocess.run([peers / "bin/python", "-I", __file__, "--from-peers", protoset],
                          check=False)
    if done.returncode == 0:
        stamp.write_text(wanted, encoding="utf-8")
    return done.returncode


def main(arguments):
    if arguments[:1] == ["--from-peers"] and len(arguments) == 2:
        write_from_peers(pathlib.Path(arguments[1]))
        return 0
    if arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 64
    return make(PEERS, PROTOSET)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
