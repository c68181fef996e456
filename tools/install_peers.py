#!/usr/bin/env python3
"""Installs the foreign peers of the tests into a virtual environment, build/peers.

They come from a registry that may be out of reach, on a train or behind a firewall. Then the reason
is written to build/peers.unreachable, said aloud, and tests that need a peer report themselves as
skipped with that text, in CI too, whose log then shows the reason. Anything else that pip dislikes,
above all a wrong hash, is fatal.
"""

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

# pip says this when a file is not what the hashes promise, or is promised nothing. It must never
# pass for bad weather. Only whole sentences of pip: a URL may well have "hash" in it.
DISTRUST = re.compile(
    r"^[ \t]*ERROR: (?:THESE PACKAGES DO NOT MATCH THE HASHES|Hashes are required"
    r"|In --require-hashes mode|Can't verify hashes)", re.MULTILINE)
# The causes for which pip gives up on a connection, in the words of urllib3 and requests.
NO_CONNECTION = re.compile(
    r"NewConnectionError|Failed to establish a new connection|ConnectTimeoutError|ReadTimeoutError"
    r"|Read timed out|Temporary failure in name resolution|Name or service not known"
    r"|NameResolutionError|Network is unreachable|Cannot connect to proxy"
    r"|ConnectionResetError|Connection aborted|RemoteDisconnected")
# A retry that pip survived is no reason: only the last one that it announces.
GAVE_UP = re.compile(r"\s*WARNING: Retrying \(Retry\(total=0,.*/simple/([\w.-]+)/$")
# What pip concludes about a package of which nobody told it anything. "from versions: 1.0, 1.1"
# would mean that somebody did.
NO_ANSWER = re.compile(r"ERROR: .* requirement ([\w.-]+)==.* \(from versions: none\)$")

TESTS_ARE_SKIPPED = "Tests that need a peer will be SKIPPED; everything else goes on."


def is_unreachable(pip_output):
    """Whether pip failed only because it could not talk to the registry."""
    if DISTRUST.search(pip_output):
        return False
    lines = pip_output.rstrip().splitlines()
    gave_up = set()
    for line in lines:
        if line.startswith("ERROR:") and NO_CONNECTION.search(line):
            return True
        match = GAVE_UP.match(line)
        if match and NO_CONNECTION.search(line):
            gave_up.add(match.group(1))
        match = NO_ANSWER.match(line)
        if match and match.group(1) in gave_up:
            return True
    # A connection that dies in the middle of a file ends pip with a traceback.
    return "ERROR: Exception:" in lines and bool(NO_CONNECTION.search(lines[-1]))


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    return done.returncode, done.stdout


def wanted_stamp(requirements):
    text = requirements.read_bytes() + sys.version.encode()
    return hashlib.sha256(text).hexdigest()


def say_unreachable(reason, consequence):
    line = "!" * 72
    print(f"{line}\nA registry of peers is out of reach.\n{consequence}\nIts client said:\n\n"
          f"{reason}{line}", file=sys.stderr)


def install(requirements, venv, consequence=TESTS_ARE_SKIPPED):
    """Exit code. Leaves either the environment with its stamp, or the marker, or neither."""
    marker = venv.with_name(venv.name + ".unreachable")
    stamp = venv / "requirements.sha256"
    wanted = wanted_stamp(requirements)
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return 0
    print(f"== setup: installing peers into {venv}", flush=True)
    marker.unlink(missing_ok=True)
    shutil.rmtree(venv, ignore_errors=True)
    code, output = run([sys.executable, "-m", "venv", str(venv)])
    if code == 0:
        code, output = run([
            str(venv / "bin/pip"), "--disable-pip-version-check", "--no-input", "install",
            "--retries", "3", "--timeout", "30", "--progress-bar", "off", "--no-deps",
            "--require-hashes", "--requirement", str(requirements)])
    if code == 0:
        stamp.write_text(wanted, encoding="utf-8")
        return 0
    shutil.rmtree(venv, ignore_errors=True)
    if is_unreachable(output):
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.write_text(output, encoding="utf-8")
        say_unreachable(output, consequence)
        return 0
    print(f"{output}setup: pip could not install {requirements}", file=sys.stderr)
    return 1


def main():
    root = Path(__file__).resolve().parents[1]
    requirements = root / "tests/interop/requirements.txt"
    return install(requirements, root / "build/peers")


if __name__ == "__main__":
    sys.exit(main())
