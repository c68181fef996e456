"""When setup goes on without the peers, when it must not, and what a test does then.

The outputs are those of pip 23.0.1 (Debian 12), shortened.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import build_go_peer  # noqa: E402
import install_peers  # noqa: E402

NOTHING = """\
ERROR: Could not find a version that satisfies the requirement xds-protos==1.85.0 (from versions: none)
ERROR: No matching distribution found for xds-protos==1.85.0
"""  # noqa: E501


def retry(left, cause, path="/simple/xds-protos/"):
    return (f"WARNING: Retrying (Retry(total={left}, connect=None, read=None, redirect=None, "
            f"status=None)) after connection broken by '{cause}': {path}\n")


REFUSED = ("NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: "
           "Failed to establish a new connection: [Errno 111] Connection refused')")
BAD_HASH = """\
Collecting xds-protos==1.85.0
  Downloading xds_protos-1.85.0-py3-none-any.whl (1.5 MB)
ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions, please update the hashes. Otherwise, examine the package contents carefully; someone may have tampered with them.
    xds-protos==1.85.0 from https://files.example/x.whl (from -r requirements.txt (line 7)):
        Expected sha256 f1e7
             Got        e1e7
"""  # noqa: E501
POOL = "HTTPConnectionPool(host='files', port=443): "
CANNOT = "ERROR: Could not install packages due to an OSError: " + POOL

UNREACHABLE = {
    "refused": retry(0, REFUSED) + NOTHING,
    "no such host": retry(0, REFUSED.replace("[Errno 111] Connection refused",
                                             "[Errno -2] Name or service not known")) + NOTHING,
    "no resolver": retry(0, REFUSED.replace(
        "[Errno 111] Connection refused",
        "[Errno -3] Temporary failure in name resolution")) + NOTHING,
    "no proxy": retry(0, f"ProxyError('Cannot connect to proxy.', {REFUSED})") + NOTHING,
    "timeout": retry(0, f'ReadTimeoutError("{POOL}Read timed out. (read timeout=15)")') + NOTHING,
    "the file server is gone": (
        "Collecting xds-protos==1.85.0\n  " + retry(0, REFUSED, "/f/xds_protos.whl") + CANNOT
        + f"Max retries exceeded with url: /f/xds_protos.whl (Caused by {REFUSED})\n\n"),
    "a mirror with hash in its name": retry(
        0, REFUSED, "/HASHES/hashes-are-required/simple/xds-protos/") + (
        "Looking in indexes: https://hash.example/simple\n") + NOTHING,
    "a file server with hash in its name": (
        CANNOT.replace("files", "hash.example")
        + f"Max retries exceeded with url: /hash/x.whl (Caused by {REFUSED})\n"),
    "the file stops in the middle": (
        "ERROR: Exception:\nTraceback (most recent call last):\n  File ...\n"
        f"pip._vendor.urllib3.exceptions.ReadTimeoutError: {POOL}Read timed out.\n"),
}
FATAL = {
    "bad hash": BAD_HASH,
    "bad hash after a retry": retry(0, REFUSED, "/simple/protobuf/") + BAD_HASH,
    "bad hash of a file that stopped": (
        BAD_HASH + f"ERROR: Exception:\nReadTimeoutError: {POOL}Read timed out.\n"),
    "hash missing": (
        retry(0, REFUSED) + "ERROR: Hashes are required in --require-hashes mode, but they are "
        "missing from some requirements.\n" + NOTHING),
    "version not pinned": (
        retry(0, REFUSED) + "ERROR: In --require-hashes mode, all requirements must have their "
        "versions pinned with ==. These do not:\n    xds-protos\n" + NOTHING),
    "nothing that has a hash": (
        retry(0, REFUSED) + "ERROR: Can't verify hashes for these requirements because we don't "
        "have a way to hash version control repositories:\n" + NOTHING),
    "no such version": NOTHING.replace("none", "1.84.0, 1.84.1"),
    "no such version after a retry": (
        retry(2, REFUSED) + retry(0, REFUSED) + NOTHING.replace("none", "1.84.0, 1.84.1")),
    "no such package": NOTHING,
    "no such package, another one was slow": retry(0, REFUSED, "/simple/protobuf/") + NOTHING,
    "a retry that worked": retry(2, REFUSED) + NOTHING,
    "a certificate that is not trusted": retry(
        0, "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'))") + NOTHING,
    "a registry that answers 503": (
        CANNOT + "Max retries exceeded with url: /f/x.whl (Caused by ResponseError('too many 503 "
        "error responses'))\n"),
    "a full disk": "ERROR: Could not install packages due to an OSError: [Errno 28] No space\n",
    "a bug of pip": "ERROR: Exception:\nTraceback (most recent call last):\nKeyError: 'x'\n",
    "silence": "",
}


class DecisionTest(unittest.TestCase):
    def test_what_counts_as_unreachable(self):
        for name, output in UNREACHABLE.items():
            with self.subTest(name):
                self.assertTrue(install_peers.is_unreachable(output))

    def test_everything_else_is_fatal(self):
        for name, output in FATAL.items():
            with self.subTest(name):
                self.assertFalse(install_peers.is_unreachable(output))


class GoModulesTest(unittest.TestCase):
    def test_what_counts_as_unreachable(self):
        for cause in ("dial tcp: lookup modules.example: no such host",
                      "dial tcp 127.0.0.1:1: connect: connection refused",
                      "net/http: TLS handshake timeout"):
            with self.subTest(cause):
                self.assertTrue(build_go_peer.is_unreachable(
                    f'go: x.example/y@v1.0.0: Get "https://modules.example/y.zip": {cause}\n'))

    def test_everything_else_is_fatal(self):
        for output in ("go: x.example/y@v1.0.0: verifying module: checksum mismatch\n"
                       "dial tcp: i/o timeout\nSECURITY ERROR\n",
                       "main.go:3:2: missing go.sum entry for module providing package x\n",
                       "main.go:7:1: syntax error\n", ""):
            with self.subTest(output):
                self.assertFalse(build_go_peer.is_unreachable(output))


class InstallTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.venv = Path(folder.name) / "build/peers"
        self.marker = Path(folder.name) / "build/peers.unreachable"
        self.requirements = Path(folder.name) / "requirements.txt"
        self.requirements.write_text("xds-protos==1.85.0\n")

    def install(self, *results):
        """The exit code when its commands end as told; running one more is an error."""
        def run(command):
            if command[1:3] == ["-m", "venv"]:
                self.venv.mkdir(parents=True)
            return results[commands.call_count - 1]
        with mock.patch.object(install_peers, "run", side_effect=run) as commands, \
                mock.patch("sys.stderr"), mock.patch("builtins.print"):
            return install_peers.install(self.requirements, self.venv)

    def test_a_second_run_has_nothing_to_do(self):
        self.assertEqual(self.install((0, ""), (0, "")), 0)
        self.assertEqual(self.install(), 0)

    def test_other_requirements_install_again(self):
        self.install((0, ""), (0, ""))
        self.requirements.write_text("xds-protos==1.86.0\n")
        self.assertEqual(self.install((0, ""), (1, BAD_HASH)), 1)
        self.assertFalse(self.venv.exists())

    def test_unreachable_leaves_the_reason_and_no_environment(self):
        output = UNREACHABLE["refused"]
        self.assertEqual(self.install((0, ""), (1, output)), 0)
        self.assertEqual(self.marker.read_text(), output)
        self.assertFalse(self.venv.exists())

    def test_the_reason_goes_away_with_the_trouble(self):
        self.install((0, ""), (1, UNREACHABLE["refused"]))
        self.assertEqual(self.install((0, ""), (0, "")), 0)
        self.assertFalse(self.marker.exists())

    def test_a_bad_hash_is_fatal(self):
        self.assertEqual(self.install((0, ""), (1, BAD_HASH)), 1)
        self.assertFalse(self.marker.exists())

    def test_no_virtual_environment_is_fatal(self):
        self.assertEqual(self.install((1, "ensurepip is not available")), 1)


class WithPeersTest(unittest.TestCase):
    def run_in(self, folder, *arguments):
        return subprocess.run([sys.executable, ROOT / "tools/with_peers.py", *arguments],
                              cwd=folder, capture_output=True, text=True, check=False)

    def test_runs_with_the_python_of_the_peers(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "peers/bin").mkdir(parents=True)
            os.symlink(sys.executable, Path(folder) / "peers/bin/python")
            script = "import sys; print(sys.argv[1:]); sys.exit(3)"
            done = self.run_in(folder, "peers", "-c", script, "a", "b")
        self.assertEqual((done.returncode, done.stdout), (3, "['a', 'b']\n"))

    def test_skips_with_the_reason_when_the_registry_was_out_of_reach(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "peers.unreachable").write_text("no route to host")
            done = self.run_in(folder, "peers", "-c", "pass")
        self.assertEqual(done.returncode, 77)
        self.assertIn("no route to host", done.stdout)

    def test_fails_when_nobody_ran_setup(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_in(folder, "peers", "-c", "pass")
        self.assertEqual(done.returncode, 1)
        self.assertIn("run ./dev setup", done.stderr)


if __name__ == "__main__":
    unittest.main()
