"""All commands of `holdfast`, side by side: the same mistake ends each of them the same way.

    commands_test.py HOLDFAST
"""

# ctest: end_to_end.commands

import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from serve_process import ServeProcess, service  # noqa: E402
from watch_process import PATIENCE, WatchProcess, bootstrap, environment  # noqa: E402

PROGRAM = None
COMMANDS = ("serve", "lint", "watch", "probe", "ps", "why", "demo")
# Nobody listens on a port that is only bound.
DEAD = socket.socket()
DEAD.bind(("127.0.0.1", 0))
NOWHERE = f"127.0.0.1:{DEAD.getsockname()[1]}"

FINE, USAGE, BAD_INPUT, UNREACHABLE, BAD_CONFIG, PROBLEMS = 0, 64, 65, 69, 78, 79


def run(*arguments, bootstrap_text=None):
    done = subprocess.run([PROGRAM, *arguments], env=environment(bootstrap_text), text=True,
                          encoding="utf-8", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    return done.returncode, done.stdout, done.stderr


class Commands(unittest.TestCase):
    def expect(self, code, *arguments, part, **more):
        """Ends so, says so on stderr, and prints no result."""
        with self.subTest(" ".join(arguments)):
            got, out, err = run(*arguments, **more)
            self.assertEqual((got, out), (code, ""), err)
            self.assertIn(part, err)

    def expect_json(self, out):
        """As somebody checks it who knows nothing of us: line by line."""
        self.assertNotEqual(out, "")
        for line in out.splitlines():
            subprocess.run(["python3", "-m", "json.tool"], input=line, text=True, check=True,
                           stdout=subprocess.DEVNULL, timeout=PATIENCE)

    def test_help(self):
        for command in COMMANDS:
            with self.subTest(command):
                code, out, err = run(command, "--help")
                self.assertEqual((code, err), (FINE, ""))
                self.assertTrue(out.startswith(f"holdfast {command}"), out)
                self.assertIn("Exit codes: ", out)

    def test_a_mistyped_option(self):
        typos = {"serve": "--confg", "lint": "--strcit", "watch": "--stdn", "probe": "--cuont",
                 "ps": "--sever", "why": "--tagret", "demo": "--setp"}
        self.assertEqual(set(typos), set(COMMANDS))
        for command, typo in typos.items():
            self.expect(USAGE, command, typo, part=f'unknown option "{typo}"; did you mean --')

    def test_a_mistyped_output(self):
        for command in (("lint", "."), ("watch", "lds/web"), ("probe", "xds:///web"), ("ps",),
                        ("why", "web-1")):
            self.expect(USAGE, *command, "-o", "jsno", part="did you mean json?")
            self.expect(USAGE, *command, "-o=jsno", part='unknown output "jsno"')

    def test_nobody_there(self):
        self.expect(UNREACHABLE, "ps", "--server", NOWHERE, part="connection refused")
        self.expect(UNREACHABLE, "ps", "--target", NOWHERE, part="connection refused")
        self.expect(UNREACHABLE, "why", "xds:///web", "--server", NOWHERE,
                    part="connection refused")
        self.expect(UNREACHABLE, "why", "xds:///web", "--target", NOWHERE,
                    part="connection refused")
        code, out, _ = run("probe", "xds:///web", "--timeout", "1s", "-o", "json",
                           bootstrap_text=bootstrap(NOWHERE))
        self.assertEqual(code, UNREACHABLE)
        self.expect_json(out)
        # A server that cannot be reached now is no reason to end.
        with WatchProcess(PROGRAM, ["lds/web"], bootstrap(NOWHERE)) as watch:
            self.assertEqual(watch.next_event()["error"]["code"], "UNAVAILABLE")
            self.assertEqual(watch.stop(), FINE)

    def test_an_address_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken, tempfile.TemporaryDirectory() as conf:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            Path(conf, "web.yaml").write_text(service("web", "127.0.0.1:1"), encoding="utf-8")
            for option in ("--listen", "--admin"):
                other = "--admin" if option == "--listen" else "--listen"
                self.expect(UNREACHABLE, "serve", "--config", conf, option, address, other,
                            "127.0.0.1:0", part=f"cannot listen on {address}")
            for command in (("watch", "lds/web"), ("probe", "xds:///web")):
                self.expect(UNREACHABLE, *command, "--admin", address,
                            part=f"cannot listen on {address}", bootstrap_text=bootstrap(NOWHERE))

    def test_a_file_that_is_not_there(self):
        self.expect(BAD_CONFIG, "serve", "--config", "/nowhere", "--listen", "127.0.0.1:0",
                    "--admin", "127.0.0.1:0", part="/nowhere")
        self.expect(BAD_INPUT, "lint", "/nowhere", part="/nowhere")
        for command in (("watch", "lds/web"), ("probe", "xds:///web")):
            self.expect(BAD_CONFIG, *command, part="GRPC_XDS_BOOTSTRAP")

    def test_a_bootstrap_that_is_wrong(self):
        for command in (("watch", "lds/web"), ("probe", "xds:///web")):
            self.expect(BAD_CONFIG, *command, part="bootstrap: ", bootstrap_text='{"node":7}')

    def test_json_is_json(self):
        with tempfile.TemporaryDirectory() as conf:
            Path(conf, "bad.yaml").write_text("resourcess: []\n", encoding="utf-8")
            code, out, _ = run("lint", conf, "-o", "json")
            self.assertEqual(code, PROBLEMS)
            self.expect_json(out)
        with ServeProcess(PROGRAM, files={"web.yaml": service("web", NOWHERE)}) as plane:
            with WatchProcess(PROGRAM, ["lds/web", "cds/nothing"], bootstrap(plane.ads)) as watch:
                for _ in range(2):
                    watch.next_event()  # reads JSON
                for command in (("ps",), ("why", "xds:///web"), ("why", "web-1"),
                                ("why", "cds/nothing")):
                    with self.subTest(command):
                        code, out, err = run(*command, "--server", plane.admin, "-o", "json")
                        self.assertEqual((code, err), (PROBLEMS, ""))
                        self.expect_json(out)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
