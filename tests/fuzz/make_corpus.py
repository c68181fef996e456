"""Writes the seeds of the envelope, decode and session fuzzers, the first two from the full resources
of tests/interop.

    build/peers/bin/python tests/fuzz/make_corpus.py

A seed has every field set somewhere, so that a fuzzer starts where a grammar would have taken it.
Run it again when tests/interop/full_*.py changed, and commit what it wrote.
"""

import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FULL_RESOURCES = HERE.parent / "interop" / "full_resources.py"

# The first byte of a decode input: the type in the low bits, 4 = trusted server (decode_fuzzer.cc).
DECODE_SELECTOR = {"listener": 0, "route": 1 | 4, "cluster": 2 | 8, "endpoints": 3}


def write_seed(fuzzer: str, name: str, seed: bytes) -> None:
    folder = HERE / "corpus" / fuzzer
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(seed)


def write_stories() -> None:
    """Of a session: every byte is an event, so any bytes are a story."""
    dice = random.Random(7)
    for number in range(12):
        story = bytes(dice.randrange(256) for _ in range(200 + 60 * number))
        write_seed("session", f"story-{number:02}", story)


def main() -> None:
    write_stories()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, FULL_RESOURCES, "write", folder], check=True)
        for line in (pathlib.Path(folder) / "index.txt").read_text().splitlines():
            kind, case, file = line.split()
            body = (pathlib.Path(folder) / file).read_bytes()
            if kind in DECODE_SELECTOR:
                write_seed("decode", f"{kind}.{case}", bytes([DECODE_SELECTOR[kind]]) + body)
            else:
                write_seed("envelope", f"{kind}.{case}", body)


if __name__ == "__main__":
    main()
