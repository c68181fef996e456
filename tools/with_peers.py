#!/usr/bin/env python3
"""Runs a Python test with the foreign peers of the tests.

    with_peers.py build/peers script.py [arguments]

Skips (exit 77, ctest's SKIP_RETURN_CODE here) with the reason if setup could not reach the registry
of the peers. Fails if nobody ever ran setup: a test that silently does nothing is worse than none.
"""

import os
import sys
from pathlib import Path

SKIPPED = 77


def main(arguments):
    if len(arguments) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 64
    peers = Path(arguments[0])
    marker = peers.with_name(peers.name + ".unreachable")
    python = peers / "bin/python"
    if marker.is_file():
        print(f"skipped, the registry of the peers was out of reach:\n{marker.read_text()}")
        return SKIPPED
    if not python.exists():
        print(f"no test peers in {peers}: run ./dev setup", file=sys.stderr)
        return 1
    os.execv(python, [str(python), *arguments[1:]])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
