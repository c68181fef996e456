"""The program `holdfast` as a shell sees it: arguments, exit codes, pipes and signals.

    program_test.py HOLDFAST

No server is needed: one that cannot be reached is no reason to end.
"""

# ctest: end_to_end.program
# Watchers hear that the server cannot be reached, and why: R3-T01 R4.33.

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from watch_process import PATIENCE, WatchProcess, bootstrap, environment  # noqa: E402

PROGRAM = None
# Nobody listens on a port that is only bound.
DEAD = socket.socket()
DEAD.bind(("127.0.0.1", 0))
NOWHERE = f"127.0.0.1:{DEAD.getsockname()[1]}"


def run(*arguments, bootstrap_text=None, **more):
    done = subprocess.run([PROGRAM, *arguments], env=environment(bootstrap_text), text=True,
                          encoding="utf-8", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=PATIENCE, check=False, **more)
    return done.returncode, done.stdout, done.stderr


class Usage(unittest.TestCase):
    def expect_refusal(self, arguments, *parts, code=64, **more):
        got, out, err = run(*arguments, **more)
        self.assertEqual(got, code, err)
        self.assertEqual(out, "", "a refusal is no result")
        for part in parts:
            self.assertIn(part, err)

    def test_help_starts_with_an_example(self):
        for arguments in (["--help"], ["-h"], ["help"]):
            code, out, err = run(*arguments)
            self.assertEqual((code, err), (0, ""))
            self.assertTrue(out.startswith("holdfast watch cds/pay"), out)
        code, out, err = run("watch", "--help")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("holdfast watch cds/pay lds/front"), out)

    def test_version(self):
        code, out, err = run("--version")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"^holdfast \d+\.\d+\.\d+\n$")

    def test_mistyped_words_get_a_suggestion(self):
        self.expect_refusal(["wacth", "cds/pay"], 'unknown command "wacth"', "did you mean watch?")
        self.expect_refusal(["watch", "cdss/pay"], 'unknown type "cdss"',
                            "did you mean cds/pay?")
        self.expect_refusal(["watch", "clusters/pay"], "did you mean cds/pay?")
        self.expect_refusal(["watch", "cds/pay", "--sdtin"], 'unknown option "--sdtin"',
                            "did you mean --stdin?")
        self.expect_refusal(["watch", "cds/pay", "--admn=127.0.0.1:0"], "did you mean --admin?")
        self.expect_refusal(["watch", "cds/pay", "-o", "jsno"], 'unknown output "jsno"',
                            "did you mean json?")

    def test_what_is_missing_is_named(self):
        self.expect_refusal([], "which command?")
        self.expect_refusal(["watch"], "nothing to watch")
        self.expect_refusal(["watch", "pay"], "write TYPE/NAME, as in cds/pay")
        self.expect_refusal(["watch", "cds/"], "names no resource")
        self.expect_refusal(["watch", "cds/pay", "-o"], "holdfast watch: ")
        self.expect_refusal(["-o", "json"], "holdfast: ")

    def test_commands_that_are_not_there_yet_say_so(self):
        for command in ("doctor",):
            self.expect_refusal([command], f"{command} is not there yet")

    def test_a_bad_bootstrap_ends_it(self):
        self.expect_refusal(["watch", "cds/pay"], "GRPC_XDS_BOOTSTRAP", code=78)
        self.expect_refusal(["watch", "cds/pay"], "xds_servers", code=78, bootstrap_text="{}")
        self.expect_refusal(["watch", "cds/pay"], "line 1", code=78, bootstrap_text="{")
        self.expect_refusal(["watch", "cds/pay"], "holdfast_incremental", code=78,
                            bootstrap_text=bootstrap(NOWHERE, ["holdfast_incremental"]))

    def test_a_bad_admin_address_ends_it(self):
        for address, part in (("localhost", "there is no port"), ("127.0.0.1:", "is no port"),
                              ("127.0.0.1:http", "is no port"), ("127.0.0.1:65536", "is no port"),
                              (":0", "there is no host"), ("::1:0", "in brackets")):
            self.expect_refusal(["watch", "cds/pay", "--admin", address], part,
                                bootstrap_text=bootstrap(NOWHERE))

    def test_an_admin_address_that_is_taken_ends_it(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            self.expect_refusal(["watch", "cds/pay", "--admin", address],
                                f"cannot listen on {address}: Address already in use", code=69,
                                bootstrap_text=bootstrap(NOWHERE))
        self.expect_refusal(["watch", "cds/pay", "--admin", "192.0.2.1:0"],
                            "Cannot assign requested address", code=69,
                            bootstrap_text=bootstrap(NOWHERE))


# What a tool reads is read with a tool: each line is an object by itself.
class Json(unittest.TestCase):
    def read(self, line):
        done = subprocess.run([sys.executable, "-m", "json.tool", "--no-ensure-ascii"], input=line,
                              text=True, encoding="utf-8", stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        return json.loads(done.stdout)

    def test_watch(self):
        name = 'cds/quo"te\\and\tcafé'
        with WatchProcess(PROGRAM, [name, "eds/other"], bootstrap(NOWHERE)) as watch:
            said = [self.read(watch.lines.next()) for _ in range(2)]
        self.assertEqual({f"{one['type']}/{one['name']}" for one in said}, {name, "eds/other"})
        for one in said:
            self.assertEqual((one["event"], one["error"]["code"]), ("resource_changed", "UNAVAILABLE"))

    def test_probe(self):
        code, out, err = run("probe", 'xds:///quo"te', "-o", "json", "--count", "3", "--interval",
                             "10ms", bootstrap_text=bootstrap(NOWHERE))
        self.assertEqual((code, out.count("\n")), (69, 3), err)
        for line in out.splitlines():
            said = self.read(line)
            self.assertEqual(list(said), ["code", "message", "peer", "seconds"])
            self.assertEqual((said["code"], said["peer"]), ("UNAVAILABLE", ""))
            self.assertIn('quo\\"te', said["message"])

    def test_lint(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / 'a "file".yaml'
            file.write_text('services:\n- {name: a, lb: "\\u263a\\n\\"x"}\n- {nmae: b}\n',
                            encoding="utf-8")
            code, out, err = run("lint", folder, "-o", "json")
            self.assertEqual(code, 79, err)
            problems = self.read(out.rstrip("\n"))["problems"]
            self.assertGreaterEqual(len(problems), 2)
            for said in problems:
                self.assertEqual(list(said), ["kind", "file", "line", "column", "field", "text"])
                self.assertEqual(said["file"], str(file))
            self.assertIn("☺", out)


class Watching(unittest.TestCase):
    def watch(self, *arguments, **more):
        watch = WatchProcess(PROGRAM, arguments, bootstrap(NOWHERE), **more)
        self.addCleanup(watch.__exit__)
        return watch

    def test_an_unreachable_server_is_news_and_no_end(self):
        watch = self.watch("cds/pay")
        event = watch.next_event()
        self.assertEqual(list(event), ["event", "type", "name", "error", "reason", "server",
                                       "time"])
        self.assertEqual((event["event"], event["type"], event["name"]),
                         ("resource_changed", "cds", "pay"))
        self.assertEqual(event["error"]["code"], "UNAVAILABLE")
        self.assertIn("Connection refused", event["error"]["message"])
        self.assertEqual((event["reason"], event["server"]), ("connectivity", NOWHERE))
        self.assertRegex(event["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertIsNone(watch.child.poll())
        self.assertEqual(watch.stop(), 0)

    def test_signals_end_it_with_success(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            watch = self.watch("cds/pay")
            watch.next_event()
            self.assertEqual(watch.stop(number), 0)

    def test_arguments_come_in_any_order(self):
        done = subprocess.run([PROGRAM, "--stdin", "-o", "json", "cds/pay", "watch"], text=True,
                              env=environment(bootstrap(NOWHERE)), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0)

    def test_a_bad_name_is_news_too(self):
        watch = self.watch("cds/xdstp://nobody/envoy.config.cluster.v3.Cluster/pay")
        event = watch.next_event()
        self.assertEqual(event["reason"], "bad_name")
        self.assertIn("nobody", event["error"]["message"])

    def test_orders_come_from_stdin(self):
        watch = self.watch("--stdin")
        watch.tell("watch cds/pay")
        self.assertNotIn("watcher", watch.next_event())
        watch.tell("watch cds/pay")
        self.assertEqual(watch.next_event()["watcher"], 2)
        watch.tell("wacth cds/pay")
        self.assertIn("line 3: unknown order \"wacth\"", watch.next_talk("line 3"))
        watch.tell("watch cdss/pay")
        self.assertIn("did you mean cds/pay?", watch.next_talk("line 4"))
        watch.tell("cancel cds/play")
        self.assertIn("nothing watches cds/play; did you mean cds/pay?", watch.next_talk("line 5"))
        watch.tell("cancel cds/pay")  # the second
        watch.tell("")
        watch.tell("watch cds/pay")  # is the second again
        self.assertEqual(watch.next_event()["watcher"], 2)
        watch.tell("cancel cds/pay")
        watch.tell("cancel cds/pay")
        watch.tell("cancel cds/pay")
        self.assertIn("nothing watches cds/pay", watch.next_talk("line 11"))
        watch.child.stdin.write("watch eds/last")  # without an end of line
        watch.child.stdin.close()
        self.assertEqual(watch.exit_code(), 0)

    def test_a_reader_that_leaves_ends_it_quietly(self):
        with subprocess.Popen([PROGRAM, "watch", "cds/pay"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=environment(bootstrap(NOWHERE),
                                                                      HOLDFAST_LOG="error"),
                              text=True) as piped:
            subprocess.run(["head", "-n", "1"], stdin=piped.stdout, stdout=subprocess.DEVNULL,
                           timeout=PATIENCE, check=True)
            piped.stdout.close()
            self.assertEqual(piped.wait(PATIENCE), 0)
            self.assertEqual(piped.stderr.read(), "")

    def test_an_output_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "watch", "cds/pay", "-o", "json"], stdout=full,
                                  stderr=subprocess.PIPE, env=environment(bootstrap(NOWHERE)),
                                  text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left on device", done.stderr)

    def test_a_table_has_colour_only_where_somebody_sees_it(self):
        def first_lines(**variables):
            with subprocess.Popen([PROGRAM, "watch", "cds/pay"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, encoding="utf-8",
                                  env=environment(bootstrap(NOWHERE), **variables)) as child:
                lines = [child.stdout.readline(), child.stdout.readline()]
                child.terminate()
                return lines

        header, plain = first_lines()
        self.assertRegex(header, r"^TIME +EVENT +RESOURCE +DETAIL$")
        self.assertRegex(plain, r"^\S+Z  ✖ failed   cds/pay +UNAVAILABLE \(connectivity\): ")
        self.assertIn("\x1b[31m✖ failed", first_lines(CLICOLOR_FORCE="1")[1])
        self.assertNotIn("\x1b", first_lines(CLICOLOR_FORCE="1", NO_COLOR="1")[1])
        self.assertNotIn("\x1b", first_lines(CLICOLOR_FORCE="0")[1])

    def test_admin_opens_a_port(self):
        watch = self.watch("cds/pay", "--admin", "127.0.0.1:0")
        host, port = watch.admin_address().rsplit(":", 1)
        with socket.create_connection((host, int(port)), timeout=PATIENCE):
            pass
        self.assertEqual(watch.stop(), 0)

    def test_a_stuck_reader_does_not_keep_it_alive(self):
        ends = os.pipe()
        names = [f"cds/{'long-name-' * 20}{number}" for number in range(1000)]
        with subprocess.Popen([PROGRAM, "watch", "-o", "json", *names], stdout=ends[1],
                              stderr=subprocess.DEVNULL,
                              env=environment(bootstrap(NOWHERE))) as child:
            os.close(ends[1])
            self.assertEqual(json.loads(os.read(ends[0], 100000).split(b"\n")[0])["type"], "cds")
            child.terminate()
            self.assertEqual(child.wait(PATIENCE), 0)
        os.close(ends[0])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
