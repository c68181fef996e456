"""`holdfast probe` as a shell sees it, against `holdfast serve`, which is also what it calls: a
control plane answers health checks too.

    probe_test.py HOLDFAST
"""

# ctest: end_to_end.probe
# A name that is not there fails its calls at once, with the words of the control plane: R11.40.

import json
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from health_call import SERVING, health_of  # noqa: E402
from serve_process import ServeProcess, service  # noqa: E402
from watch_process import PATIENCE, TalkingProcess, bootstrap, environment  # noqa: E402

PROGRAM = None
ADS = "envoy.service.discovery.v3.AggregatedDiscoveryService"


def not_there(address):
    return (f'target "xds:///nothing": listener "nothing": xds server "{address}" answered NOT_FOUND: '
            'no listener "nothing" in the configuration of the control plane; calls fail until it '
            'can be had (node "web-1")')


class ProbeProcess(TalkingProcess):
    def __init__(self, address, *arguments):
        super().__init__([PROGRAM, "probe", "-o", "json", *arguments], bootstrap(address))

    def end_of_input(self):
        self.child.stdin.close()
        return self.exit_code()


class Probing(unittest.TestCase):
    def setUp(self):
        self.plane = ServeProcess(PROGRAM)
        self.addCleanup(self.plane.__exit__)
        self.backend = ServeProcess(PROGRAM, files={"self.yaml": service("self", "127.0.0.1:1")})
        self.addCleanup(self.backend.__exit__)
        self.peer = f"ipv4:{self.backend.ads}"

    def put(self, name="web"):
        self.plane.write(f"{name}.yaml", service(name, self.backend.ads))

    def run_probe(self, *arguments, bootstrap_text=None, stdin=""):
        text = bootstrap(self.plane.ads) if bootstrap_text is None else bootstrap_text
        done = subprocess.run([PROGRAM, "probe", *arguments], env=environment(text or None),
                              text=True, encoding="utf-8", input=stdin, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
        return done.returncode, done.stdout, done.stderr

    def probe(self, *arguments):
        probe = ProbeProcess(self.plane.ads, *arguments)
        self.addCleanup(probe.__exit__)
        return probe

    def expect_ok(self, result):
        self.assertEqual((result["code"], result["message"], result["peer"]),
                         ("OK", "", self.peer))

    def test_a_call_that_is_answered(self):
        self.put()
        # The control plane reads the file at its own time.
        self.assertEqual(self.run_probe("xds:///web", "--wait-for-ready")[0], 0)
        code, out, err = self.run_probe("xds:///web", "-o", "json")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r'^\{"code":"OK","message":"","peer":"' + re.escape(self.peer)
                         + r'","seconds":\d+\.\d+\}\n$')
        code, out, err = self.run_probe("xds:///web")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z  OK +\d+(\.\d+)?m?s  "
                         + re.escape(self.peer) + r"\n$")

    def test_a_name_that_is_not_there_fails_at_once_in_the_words_of_the_control_plane(self):
        took = []
        for _ in range(3):  # A machine that pauses may make one of them slow.
            probe = self.probe("xds:///nothing")
            result = probe.next_result()
            self.assertEqual((result["code"], result["message"], result["peer"]),
                             ("UNAVAILABLE", not_there(self.plane.ads), ""))
            self.assertEqual(probe.exit_code(), 69)
            took.append(result["seconds"])
        self.assertLess(min(took), 1)

    def test_many_calls_at_an_interval(self):
        self.put()
        self.assertEqual(self.run_probe("xds:///web", "--wait-for-ready")[0], 0)
        begin = time.monotonic()
        probe = self.probe("xds:///web", "--count", "4", "--interval", "100ms")
        for _ in range(4):
            self.expect_ok(probe.next_result())
        self.assertEqual(probe.exit_code(), 0)
        self.assertGreaterEqual(time.monotonic() - begin, 0.3)

    def test_a_call_that_took_long_is_not_made_up_for(self):
        probe = self.probe("xds:///web", "--count", "4", "--interval", "200ms", "--wait-for-ready")
        probe.next_talk('no listener "web"')
        time.sleep(1)
        self.put()
        self.expect_ok(probe.next_result())
        begin = time.monotonic()
        for _ in range(3):
            self.expect_ok(probe.next_result())
        self.assertGreaterEqual(time.monotonic() - begin, 0.35)

    def test_the_last_call_decides(self):
        def call_until(probe, code):
            probe.tell("call 200ms")
            while probe.next_result()["code"] != code:
                probe.tell("call 200ms")

        good, bad = self.probe("xds:///web", "--stdin"), self.probe("xds:///web", "--stdin")
        call_until(good, "UNAVAILABLE")
        self.put()
        call_until(good, "OK")
        call_until(bad, "OK")
        self.assertEqual(good.end_of_input(), 0)
        self.backend.kill()
        call_until(bad, "UNAVAILABLE")
        self.assertEqual(bad.end_of_input(), 69)

    def test_a_call_that_waits_is_answered_when_the_service_appears(self):
        probe = self.probe("xds:///web", "--wait-for-ready", "--timeout", f"{PATIENCE}s")
        probe.next_talk('no listener "web"')
        self.put()
        self.expect_ok(probe.next_result())
        self.assertEqual(probe.exit_code(), 0)

    def test_a_call_that_waits_too_long(self):
        begin = time.monotonic()
        code, out, _ = self.run_probe("xds:///web", "--wait-for-ready", "--timeout", "300ms", "-o",
                                      "json")
        self.assertEqual((code, json.loads(out)["code"]), (69, "DEADLINE_EXCEEDED"))
        self.assertGreaterEqual(json.loads(out)["seconds"], 0.2)
        self.assertLess(time.monotonic() - begin, PATIENCE / 2)

    def test_signals_end_a_call_that_waits(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            for more in ([], ["--stdin"]):
                probe = self.probe("xds:///web", "--wait-for-ready", "--timeout", "1h", "--count",
                                   "5", *more)
                if more:
                    probe.tell("call")
                    probe.tell("call 2h")
                probe.next_talk('no listener "web"')
                begin = time.monotonic()
                probe.child.send_signal(number)
                self.assertEqual(probe.next_result()["code"], "CANCELLED")
                self.assertEqual(probe.exit_code(), 69)
                self.assertLess(time.monotonic() - begin, PATIENCE / 6)

    def test_a_service_that_is_asked_for(self):
        self.put()
        self.assertEqual(self.run_probe("xds:///web", "--wait-for-ready")[0], 0)
        self.assertEqual(self.run_probe("xds:///web", "--service", ADS)[0], 0)
        code, out, _ = self.run_probe("xds:///web", "--service", "acme.Pay", "-o", "json")
        self.assertEqual((code, json.loads(out)["code"]), (69, "NOT_FOUND"))
        self.assertIn('service "acme.Pay" is not known here', json.loads(out)["message"])

    def test_orders_come_from_stdin(self):
        self.put()
        self.assertEqual(self.run_probe("xds:///web", "--wait-for-ready")[0], 0)
        probe = self.probe("xds:///web", "--stdin", "--wait-for-ready")
        for order in ("call", "call 10s", "call 10s 2", "  call\t10s  1 "):
            probe.tell(order)
            self.expect_ok(probe.next_result())
        # Channels to one target share their client. Other probes may be on their way out.
        self.wait_for_one_stream()
        for order, part in (("clal", 'not an order: "clal"; write call, call 3s or call 3s 2'),
                            ("call soon", '"soon" is no duration'),
                            ("call 1s 0", '"0" is no channel'),
                            ("call 1s one", '"one" is no channel'),
                            ("call 1s 1 1", "not an order")):
            probe.tell(order)
            self.assertIn(part, probe.next_talk(": line "))
        probe.tell("")
        self.backend.kill()
        probe.tell("call 250ms")
        # The first may still find the connection that is about to break.
        while (result := probe.next_result())["code"] == "UNAVAILABLE":
            probe.tell("call 250ms")
        self.assertEqual(result["code"], "DEADLINE_EXCEEDED")
        self.assertGreaterEqual(result["seconds"], 0.15)
        self.backend.start()
        probe.child.stdin.write("call")  # without an end of line
        self.assertEqual(probe.end_of_input(), 0)
        self.expect_ok(probe.next_result())

    def wait_for_one_stream(self):
        deadline = time.monotonic() + PATIENCE
        while (streams := self.plane.metrics("holdfast_streams")) != 1:
            self.assertLess(time.monotonic(), deadline, f"{streams} streams")
            time.sleep(0.01)

    def test_no_orders_are_no_failure(self):
        self.assertEqual(self.run_probe("xds:///web", "--stdin"), (0, "", ""))

    def test_admin_opens_a_port(self):
        self.put()
        probe = self.probe("xds:///web", "--stdin", "--admin", "127.0.0.1:0")
        address = probe.next_talk("admin listening on ").rsplit(" ", 1)[1]
        self.assertEqual(health_of(address), SERVING)
        self.assertEqual(probe.end_of_input(), 0)

    def test_a_control_plane_that_dies_is_not_noticed(self):
        self.put()
        probe = self.probe("xds:///web", "--stdin", "--wait-for-ready")
        probe.tell("call")
        self.expect_ok(probe.next_result())
        self.plane.kill()
        for _ in range(3):
            probe.tell("call")
            self.expect_ok(probe.next_result())

    def test_a_control_plane_that_is_not_there_is_named(self):
        self.plane.kill()
        code, out, _ = self.run_probe("xds:///web", "-o", "json")
        result = json.loads(out)
        self.assertEqual((code, result["code"]), (69, "UNAVAILABLE"))
        self.assertIn('target "xds:///web"', result["message"])
        self.assertIn(self.plane.ads, result["message"])
        self.assertIn("Connection refused", result["message"])


class Usage(unittest.TestCase):
    run_probe = Probing.run_probe

    def expect_refusal(self, arguments, part, code=64, bootstrap_text=bootstrap("127.0.0.1:1")):
        got, out, err = self.run_probe(*arguments, bootstrap_text=bootstrap_text)
        self.assertEqual((got, out), (code, ""), err)
        self.assertIn(part, err)

    def test_help_starts_with_an_example(self):
        code, out, err = self.run_probe("--help", bootstrap_text="")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("holdfast probe xds:///pay"), out)

    def test_wrong_arguments(self):
        self.expect_refusal([], "name one target, as in holdfast probe xds:///pay")
        self.expect_refusal(["xds:///a", "xds:///b"], "name one target")
        for count in ("0", "many", "-1", "-5"):
            self.expect_refusal(["xds:///a", "--count", count],
                                f'--count must be a whole number from 1 to 1000000000000 '
                                f'(got "{count}")')
        self.expect_refusal(["xds:///a", "--timeout"], "--timeout needs a value")
        self.expect_refusal(["xsd:///a"], 'unknown scheme "xsd"')
        self.expect_refusal(["xsd:///a"], "did you mean xds:///a?")
        self.expect_refusal(["dns:///a"], "a target is xds:///NAME")
        self.expect_refusal(["xds:///a", "--timeout", "soon"], '--timeout "soon" is no duration')
        self.expect_refusal(["xds:///a", "--timeout", "0s"], '--timeout "0s" is no duration')
        self.expect_refusal(["xds:///a", "--interval", "-1s"], '--interval "-1s" is no duration')
        self.expect_refusal(["xds:///a", "--wait-for-raedy"], "did you mean --wait-for-ready?")
        self.expect_refusal(["xds:///a", "-o", "jsno"], "did you mean json?")
        self.expect_refusal(["xds:///a", "--admin", "localhost"], "there is no port")

    def test_a_bad_bootstrap_ends_it(self):
        self.expect_refusal(["xds:///a"], "GRPC_XDS_BOOTSTRAP", 78, bootstrap_text="")
        self.expect_refusal(["xds:///a"], "line 1", 78, bootstrap_text="{")
        self.expect_refusal(["xds:///a"], "xds_servers", 78, bootstrap_text="{}")

    def test_an_output_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "probe", "pay", "--count", "1000"], stdout=full,
                                  stderr=subprocess.PIPE, env=environment(bootstrap("127.0.0.1:1")),
                                  text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left on device", done.stderr)

    def test_a_reader_that_leaves_ends_it(self):
        with subprocess.Popen([PROGRAM, "probe", "pay", "--count", "1000", "--interval", "1ms"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              env=environment(bootstrap("127.0.0.1:1"))) as child:
            child.stdout.readline()
            child.stdout.close()
            self.assertEqual(child.wait(PATIENCE), 69)

    def test_a_target_that_cannot_work_is_a_call_that_fails(self):
        for target, part in (("pay", 'must begin with "xds:"'),
                             ("xds://nowhere/pay", 'authority "nowhere" is not in authorities of')):
            code, out, _ = self.run_probe(target, "-o", "json", "--wait-for-ready",
                                          bootstrap_text=bootstrap("127.0.0.1:1"))
            self.assertEqual((code, json.loads(out)["code"]), (69, "UNAVAILABLE"))
            self.assertIn(part, json.loads(out)["message"])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
