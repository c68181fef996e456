"""All commands of `holdfast`, side by side: the same mistake ends each of them the same way.

    commands_test.py HOLDFAST
"""

# ctest: end_to_end.commands

import json
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from serve_process import ServeProcess, service  # noqa: E402
from watch_process import PATIENCE, Process, WatchProcess, bootstrap, environment  # noqa: E402

PROGRAM = None
COMMANDS = ("serve", "lint", "watch", "probe", "ps", "why", "demo")
# Nobody listens on a port that is only bound.
DEAD = socket.socket()
DEAD.bind(("127.0.0.1", 0))
NOWHERE = f"127.0.0.1:{DEAD.getsockname()[1]}"

FINE, USAGE, BAD_INPUT, UNREACHABLE, BAD_CONFIG, PROBLEMS = 0, 64, 65, 69, 78, 79


def run(*arguments, bootstrap_text=None, **variables):
    done = subprocess.run([PROGRAM, *arguments], env=environment(bootstrap_text, **variables),
                          text=True, encoding="utf-8", stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE,
                          check=False)
    return done.returncode, done.stdout, done.stderr


class Commands(unittest.TestCase):
    def expect(self, code, *arguments, part, **more):
        """Ends so, says so on stderr, and prints no result."""
        with self.subTest(" ".join(arguments)):
            got, out, err = run(*arguments, **more)
            self.assertEqual((got, out), (code, ""), err)
            self.assertIn(part, err)

    def expect_json(self, out):
        """One document, as somebody reads it who knows nothing of us, and on one line."""
        self.assertEqual(out.count("\n"), 1)
        done = subprocess.run(["python3", "-m", "json.tool"], input=out, text=True,
                              encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=PATIENCE, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), out)
        return json.loads(done.stdout)

    def pipe(self, *arguments):
        """(exit code of ours, exit code of json.tool, what it prints): `holdfast ... | python3 -m
        json.tool`, as users type it."""
        with subprocess.Popen([PROGRAM, *arguments], env=environment(None),
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as ours:
            tool = subprocess.run(["python3", "-m", "json.tool"], stdin=ours.stdout,
                                  stdout=subprocess.PIPE, timeout=PATIENCE, check=False)
            return ours.wait(PATIENCE), tool.returncode, json.loads(tool.stdout or "null")

    def test_help(self):
        _, overview, _ = run("--help")
        self.assertEqual(run("help"), (FINE, overview, ""))
        self.assertEqual(run("help", "--help"), (FINE, overview, ""))
        self.expect(USAGE, "help", "wyh", part='unknown command "wyh"; did you mean why?')
        self.expect(USAGE, "help", "doctor", part="doctor is not there yet")
        for command in COMMANDS:
            with self.subTest(command):
                code, out, err = run(command, "--help")
                self.assertEqual((code, err), (FINE, ""))
                self.assertTrue(out.startswith(f"holdfast {command}"), out)
                self.assertIn("Exit codes: ", out)
                self.assertIn(f"\n  {command} ", overview)
                self.assertEqual(run("help", command), (FINE, out, ""))

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
            # It wins over a text that is there too.
            self.assertEqual(
                run(*command, bootstrap_text=bootstrap(NOWHERE),
                    GRPC_XDS_BOOTSTRAP="/nowhere/file"),
                (BAD_CONFIG, "", f'holdfast {command[0]}: GRPC_XDS_BOOTSTRAP: "/nowhere/file": '
                                 "cannot be opened: No such file or directory\n"))

    def test_a_bootstrap_that_is_wrong(self):
        for command in (("watch", "lds/web"), ("probe", "xds:///web")):
            self.expect(BAD_CONFIG, *command, part="bootstrap: ", bootstrap_text='{"node":7}')

    def test_json_is_json(self):
        with tempfile.TemporaryDirectory() as conf:
            Path(conf, "bad.yaml").write_text("resourcess: []\n", encoding="utf-8")
            ours, tool, answer = self.pipe("lint", conf, "-o", "json")
            self.assertEqual((ours, tool), (PROBLEMS, 0))
            self.assertEqual((len(answer["problems"]), answer["errors"], answer["warnings"]),
                             (1, 1, 0))
        with ServeProcess(PROGRAM, files={"web.yaml": service("web", NOWHERE)}) as plane:
            with WatchProcess(PROGRAM, ["lds/web", "cds/nothing"], bootstrap(plane.ads)) as watch:
                for _ in range(2):
                    watch.next_event()  # reads JSON
                for command in (("ps",), ("why", "xds:///web"), ("why", "web-1"),
                                ("why", "cds/nothing")):
                    with self.subTest(command):
                        code, out, err = run(*command, "--server", plane.admin, "-o", "json")
                        self.assertEqual((code, err), (PROBLEMS, ""))
                        answer = self.expect_json(out)
                        self.assertIn("time", answer)
                        ours, tool, piped = self.pipe(*command, "--server", plane.admin, "-o",
                                                      "json")
                        self.assertEqual((ours, tool, list(piped)), (PROBLEMS, 0, list(answer)))

    def test_json_of_nobody_is_json(self):
        with ServeProcess(PROGRAM) as plane, tempfile.TemporaryDirectory() as conf:
            ours, tool, answer = self.pipe("ps", "--server", plane.admin, "-o", "json")
            self.assertEqual((ours, tool, answer["clients"]), (FINE, 0, []))
            ours, tool, answer = self.pipe("lint", conf, "-o", "json")
            self.assertEqual((ours, tool, answer["problems"]), (FINE, 0, []))

    def test_json_of_watching_is_an_object_a_line(self):
        files = {"web.yaml": service("web", NOWHERE)}
        with ServeProcess(PROGRAM, files=files) as plane:
            with WatchProcess(PROGRAM, ["lds/web"], bootstrap(plane.ads)) as client:
                client.next_event()
                for command, members in (
                        (("ps",), ["time", "clients"]),
                        (("why", "xds:///web"), ["asked", "cause", "summary"])):
                    with self.subTest(command), Process(
                            [PROGRAM, *command, "--watch", "--server", plane.admin, "-o", "json"],
                            env=environment(None)) as watching:
                        for _ in range(2):
                            answer = self.expect_json(watching.lines.next())
                            self.assertEqual(list(answer)[:len(members)], members)
                        watching.child.send_signal(signal.SIGINT)
                        self.assertEqual(watching.exit_code(), FINE)
                        for line in watching.lines.rest():
                            self.expect_json(line)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
