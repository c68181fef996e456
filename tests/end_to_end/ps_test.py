"""`holdfast ps` as a shell sees it, of a control plane with real clients and of one process.

    ps_test.py HOLDFAST
"""

# ctest: end_to_end.ps

import contextlib
import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from fleet_case import (  # noqa: E402
    GOOD_CLUSTER, REJECTED_CLUSTER, FleetCase, free_port, http_server)
from watch_process import PATIENCE, Process, environment  # noqa: E402

OUTPUTS = ("table", "wide", "json")
ONE_CLIENT = {"time": "2026-11-16T18:00:00Z", "clients": [{"client": "a", "state": "good"}]}


@contextlib.contextmanager
def dripping_server():
    """Sends its answer byte by byte, a few a second, and never ends; (address, one was asked)."""
    asked = threading.Event()
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def drip(connection):
            with connection, contextlib.suppress(OSError):
                connection.recv(4096)
                asked.set()
                for byte in b"HTTP/1.1 200 OK\r\n" + b"x" * 100000:
                    connection.sendall(bytes([byte]))
                    if over.wait(0.3):
                        return

        def accept():
            with contextlib.suppress(OSError):
                while True:
                    threads.append(threading.Thread(target=drip, args=[listener.accept()[0]]))
                    threads[-1].start()

        threads = [threading.Thread(target=accept)]
        threads[0].start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}", asked
        finally:
            over.set()
            listener.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join()


class OfAControlPlane(FleetCase):
    def ps(self, *arguments, **more):
        return self.run_holdfast("ps", "--server", self.plane.admin, *arguments, **more)

    def wait_for_state(self, states):
        return self.wait_for_states(states, "--server", self.plane.admin)

    def test_nobody_is_taught_how_to_come(self):
        for output in OUTPUTS:
            code, out, err = self.ps("-o", output)
            self.assertEqual(code, 0)
            if output == "json":
                self.expect_valid_json(out)
                answer = json.loads(out)
                self.assertEqual((list(answer), answer["clients"]), (["time", "clients"], []))
            else:
                self.assertEqual(out, "")
            self.assertIn("no client is connected to the control plane at " + self.plane.admin, err)
            text = re.search(r"GRPC_XDS_BOOTSTRAP_CONFIG='(.*)'", err).group(1)
            self.assertEqual(json.loads(text)["node"], {"id": "web-1"})

    def test_a_client_that_is_good(self):
        watch = self.watch("lds/web", "cds/web")
        client, = self.wait_for_state({"web-1": "good"})
        self.assertEqual([(one["type"], one["good"]) for one in client["types"]],
                         [("lds", 1), ("cds", 1)])
        self.assertEqual(client["resources"], [])
        self.assertTrue(client["peer"].startswith("ipv4:127.0.0.1:"), client)
        code, out, err = self.ps()
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"^CLIENT  STATE        AGE +TYPES            REASON\n"
                              r"web-1   ✔ good       \d+[sm] +lds 1/1 cds 1/1\n$")
        self.assertEqual(watch.stop(), 0)
        self.wait_for_state({})

    def test_the_worst_comes_first_and_says_why(self):
        self.plane.write("pay.yaml", GOOD_CLUSTER)
        held_back, good, failed = (self.watch("cds/pay", node="b"), self.watch("cds/web", node="a"),
                                   self.watch("cds/nothing", node="c"))
        # It comes once the control plane has read the file.
        while "error" in held_back.next_event():
            pass
        good.next_event()
        failed.next_event()
        self.plane.write("pay.yaml", REJECTED_CLUSTER)
        clients = self.wait_for_state({"c": "failed", "b": "held_back", "a": "good"})
        self.assertEqual([client["client"] for client in clients], ["c", "b", "a"])
        nothing, = clients[0]["resources"]
        self.assertEqual((nothing["type"], nothing["name"], nothing["state"]),
                         ("cds", "nothing", "failed"))
        self.assertEqual(nothing["error"]["code"], "NOT_FOUND")
        pay, = clients[1]["resources"]
        self.assertEqual(pay["state"], "held_back")
        self.assertIn("type: must be EDS or LOGICAL_DNS", pay["error"]["message"])
        self.assertNotEqual(pay["version"], pay["client_version"])
        self.assertIn("since", pay)

        for output in OUTPUTS:  # The exit code does not depend on the format.
            code, out, err = self.ps("-o", output)
            self.assertEqual((code, err), (79, ""), output)
            self.assertIn("must be EDS or LOGICAL_DNS", out)
            if output == "json":
                self.expect_valid_json(out)
                continue
            self.assertRegex(out.splitlines()[1], r"^c +✖ failed .* cds 0/1 .*cds/nothing: ")
            self.assertRegex(out.splitlines()[2], r"^b +▲ held back .* cds 0/1 .*"
                                                  r"cds/pay: rejected by the client: ")
            self.assertRegex(out.splitlines()[3], r"^a +✔ good .* cds 1/1")

    def test_colours_are_for_those_who_want_them(self):
        self.watch("cds/web").next_event()
        self.wait_for_state({"web-1": "good"})
        self.assertNotIn("\x1b", self.ps()[1])
        self.assertIn("\x1b[32m✔ good", self.ps(env={"CLICOLOR_FORCE": "1"})[1])
        for no in ("0", ""):
            self.assertNotIn("\x1b", self.ps(env={"CLICOLOR_FORCE": no})[1])
        self.assertNotIn("\x1b", self.ps(env={"CLICOLOR_FORCE": "1", "NO_COLOR": "1"})[1])

    def test_watching_goes_on_until_a_signal(self):
        with Process([self.program, "ps", "--watch", "--server", self.plane.admin],
                     stderr=subprocess.PIPE, env=environment(None)) as ps:
            self.assertRegex(ps.lines.next(), r"^--- 20.*Z\n$")
            with ps.child.stderr as talk:
                self.assertIn("no client is connected", talk.readline())
            self.watch("cds/web").next_event()
            while not (line := ps.lines.next()).startswith("CLIENT"):
                self.assertRegex(line, r"^--- 20.*Z\n$")
            self.assertIn("web-1", ps.lines.next())
            self.assertRegex(ps.lines.next(), r"^--- 20.*Z\n$")
            ps.child.send_signal(signal.SIGINT)
            self.assertEqual(ps.exit_code(), 0)

    def test_a_terminal_is_drawn_anew_and_not_overrun(self):
        self.watch("cds/" + "x" * 150).next_event()
        name, = self.wait_for_state({"web-1": "failed"})[0]["resources"]
        self.assertEqual(len(name["name"]), 150)
        leader, follower = pty.openpty()
        subprocess.run(["stty", "cols", "80"], stdin=follower, check=True)
        with subprocess.Popen([self.program, "ps", "--watch", "--server", self.plane.admin],
                              stdout=follower, env=environment(None, TERM="xterm")) as child:
            os.close(follower)
            text = ""
            while text.count("\x1b[H\x1b[2J") < 2:
                text += os.read(leader, 4096).decode("utf-8", "replace")
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.wait(PATIENCE), 0)
        os.close(leader)
        for line in text.replace("\r", "").split("\n"):
            self.assertLessEqual(len(re.sub(r"\x1b\[[0-9;]*[HJm]", "", line)), 80, line)
        self.assertIn("\x1b[31m✖ failed", text)

    def test_nobody_there(self):
        address = f"127.0.0.1:{free_port()}"
        for output in OUTPUTS:
            self.assertEqual(
                self.run_holdfast("ps", "--server", address, "-o", output),
                (69, "", f"holdfast ps: cannot ask the control plane at http://{address}"
                         "/api/v1/clients: connection refused\n"))

    def test_somebody_else_there(self):
        for status, body, part in (
                (404, b"no such page", "/api/v1/clients answers 404: no such page"),
                (200, b"<html>", "the answer is no JSON"),
                (200, b'{"clients":{}}', "clients: must be an array (got an object)"),
                (200, b'{"time":7,"clients":[]}', "time: must be a string (got a number)"),
                (200, b"[" * 100000, "nested deeper than 100 levels"),
                (200, b"", "the answer is no JSON")):
            with http_server(status, body) as address:
                code, out, err = self.run_holdfast("ps", "--server", address)
                self.assertEqual((code, out), (65, ""), err)
                self.assertIn(part, err)


class OfAProcess(FleetCase):
    def test_states_of_one_process(self):
        self.plane.write("pay.yaml", GOOD_CLUSTER)
        watch = self.watch("cds/pay", arguments=["--admin", "127.0.0.1:0", "cds/nothing"])
        address = watch.admin_address()
        client, = self.wait_for_states({"web-1": "failed"}, "--target", address)
        while "error" in watch.next_event():  # Until pay came.
            pass
        self.plane.write("pay.yaml", REJECTED_CLUSTER)
        client, = self.wait_for(
            lambda _, clients: len(clients) == 1 and len(clients[0]["resources"]) == 2,
            "ps", "--target", address)
        nothing, pay = client["resources"]
        self.assertEqual((nothing["name"], nothing["state"]), ("nothing", "failed"))
        self.assertEqual((pay["name"], pay["state"]), ("pay", "held_back"))
        self.assertIn("type: must be EDS or LOGICAL_DNS", pay["error"]["message"])
        code, out, err = self.run_holdfast("ps", "--target", address)
        self.assertEqual((code, err), (79, ""))
        self.assertRegex(out.splitlines()[1], r"^web-1 +✖ failed .*cds 0/2 .*cds/nothing: ")
        self.assertRegex(out.splitlines()[2], r"^ +cds/pay: rejected by the client: .*")

    def test_good_is_not_all_there_is(self):
        watch = self.watch("cds/web", arguments=["--admin", "127.0.0.1:0"])
        address = watch.admin_address()
        self.wait_for_states({"web-1": "good"}, "--target", address)
        code, _, err = self.run_holdfast("ps", "--target", address)
        self.assertEqual((code, err), (0, "holdfast ps: CSDS does not say whether a process can "
                                          "reach its control plane: holdfast why tries it\n"))

    def test_waiting_is_a_countdown(self):
        self.plane.kill()
        watch = self.watch("cds/pay", arguments=["--admin", "127.0.0.1:0"])
        code, out, _ = self.run_holdfast("ps", "--target", watch.admin_address())
        self.assertEqual(code, 0)
        self.assertIn("◌ waiting", out)
        self.assertIn("cds/pay: REQUESTED (clients wait 15 s, or 30)", out)

    def test_the_clients_of_a_control_plane_through_its_own_csds(self):
        self.watch("cds/web", node="a").next_event()
        self.watch("cds/nothing", node="b").next_event()
        failed, good = self.wait_for_states({"b": "failed", "a": "good"}, "--target",
                                            self.plane.ads)
        self.assertEqual((failed["client"], good["client"]), ("b", "a"))
        self.assertNotEqual(failed["scope"], good["scope"])

    def test_nobody_and_somebody_else(self):
        address = f"127.0.0.1:{free_port()}"
        self.assertEqual(
            self.run_holdfast("ps", "--target", address),
            (69, "", f"holdfast ps: cannot ask the process at {address}: connection refused\n"))
        # The admin port of a control plane speaks no gRPC.
        code, out, err = self.run_holdfast("ps", "--target", self.plane.admin)
        self.assertEqual((code, out), (69, ""), err)


class OfAServerThatIsNotWell(FleetCase):
    def setUp(self):
        pass

    def test_an_answer_that_is_not_complete_is_no_good_news(self):
        body = json.dumps({**ONE_CLIENT, "incomplete": "1 of 4 workers did not answer in time"})
        with http_server(200, body.encode()) as address:
            for output in OUTPUTS:
                code, out, err = self.run_holdfast("ps", "--server", address, "-o", output)
                self.assertIn("good", out)
                self.assertEqual((code, err), (79, "holdfast ps: this is not complete: 1 of 4 "
                                                   "workers did not answer in time\n"))
                if output == "json":
                    self.assertEqual(json.loads(out)["incomplete"],
                                     "1 of 4 workers did not answer in time")

    def test_an_answer_that_drips_is_not_waited_for(self):
        with dripping_server() as (address, _):
            begin = time.monotonic()
            self.assertEqual(
                self.run_holdfast("ps", "--server", address),
                (69, "", f"holdfast ps: cannot ask the control plane at http://{address}"
                         "/api/v1/clients: no whole answer within 10s\n"))
            self.assertLess(time.monotonic() - begin, 30)

    def test_a_signal_ends_watching_while_an_answer_drips(self):
        with dripping_server() as (address, asked):
            with Process([self.program, "ps", "--watch", "--server", address],
                         env=environment(None)) as ps:
                self.assertTrue(asked.wait(PATIENCE))
                begin = time.monotonic()
                ps.child.send_signal(signal.SIGINT)
                self.assertEqual(ps.exit_code(), 0)
                self.assertLess(time.monotonic() - begin, 8)

    def test_watching_speaks_of_each_outage(self):
        good = json.dumps(ONE_CLIENT).encode()
        with http_server([(503, b"one"), (200, good), (503, b"one"), (503, b"one"), (200, good)]) as address:
            with Process([self.program, "ps", "--watch", "--server", address],
                         stderr=subprocess.PIPE, env=environment(None)) as ps:
                for _ in range(2):
                    self.assertRegex(ps.lines.next(), r"^--- 20.*Z\n$")
                    self.assertRegex(ps.lines.next(), r"^CLIENT")
                    self.assertRegex(ps.lines.next(), r"^a ")
                ps.child.send_signal(signal.SIGINT)
                self.assertEqual(ps.exit_code(), 0)
                with ps.child.stderr as talk:
                    said = f"holdfast ps: http://{address}/api/v1/clients answers 503: one\n"
                    self.assertEqual(talk.readlines(), [said, said])


class Usage(FleetCase):
    def setUp(self):
        pass

    def expect_refusal(self, arguments, part):
        code, out, err = self.run_holdfast("ps", *arguments)
        self.assertEqual((code, out), (64, ""), err)
        self.assertIn(part, err)

    def test_help_starts_with_an_example(self):
        code, out, err = self.run_holdfast("ps", "--help")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("holdfast ps --server 127.0.0.1:18080\n"), out)

    def test_wrong_arguments(self):
        self.expect_refusal(["--sever", "a:1"], "did you mean --server?")
        self.expect_refusal(["-o", "jsno"], "did you mean json?")
        self.expect_refusal(["--server", "localhost"],
                            '--server "localhost": there is no port; write HOST:PORT, as in '
                            "127.0.0.1:18080")
        self.expect_refusal(["--target", "localhost:http"], '"http" is no port')
        self.expect_refusal(["--target", "localhost:0"], "nobody listens on port 0")
        self.expect_refusal(["--target", "a:1", "--server", "b:2"], "name one of them")
        self.expect_refusal(["web-1"], "holdfast why web-1")

    def test_an_output_that_cannot_be_written_is_an_error(self):
        with http_server(200, b'{"time":"2026-11-16T18:00:00Z","clients":[{"client":"a",'
                              b'"state":"good"}]}') as address:
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([self.program, "ps", "--server", address], stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=PATIENCE,
                                      env=environment(None), check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left on device", done.stderr)

    def test_names_from_outside_cannot_command_the_terminal(self):
        body = json.dumps({"time": "2026-11-16T18:00:00Z",
                           "clients": [{"client": "\x1b[2J\nroot", "state": "failed"}]}).encode()
        with http_server(200, body) as address:
            code, out, _ = self.run_holdfast("ps", "--server", address)
        self.assertEqual(code, 79)
        self.assertNotIn("\x1b", out)
        self.assertEqual(len(out.splitlines()), 2)


if __name__ == "__main__":
    FleetCase.program = sys.argv.pop(1)
    unittest.main()
