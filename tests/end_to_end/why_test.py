"""`holdfast why` as a shell sees it, of a control plane with real clients; of one process it is in
why_process_test.py.

    why_test.py HOLDFAST
"""

# ctest: end_to_end.why

import json
import signal
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from fleet_case import (  # noqa: E402
    GOOD_CLUSTER, INVALID_CLUSTER, REJECTED_CLUSTER, TO_PAY, FleetCase, endpoints, free_port,
    http_server)
from serve_process import ServeProcess, service  # noqa: E402
from watch_process import Process, environment  # noqa: E402

OUTPUTS = ("table", "wide", "json")


class WhyCase(FleetCase):
    def setUp(self):
        super().setUp()
        self.backend = ServeProcess(self.program,
                                    files={"self.yaml": service("self", "127.0.0.1:1")})
        self.addCleanup(self.backend.__exit__)

    def why(self, *arguments, **more):
        return self.run_holdfast("why", *arguments, **more)

    def wait_for_cause(self, cause, *arguments, talk="", good="all good: "):
        """The answer, once that is the cause; its exit code is the same for each output."""
        answer, = self.wait_for(
            lambda _, answers: answers and answers[0]["cause"] == cause and
            (cause != "nothing" or answers[0]["summary"].startswith(good)), "why", *arguments)
        for output in OUTPUTS:
            code, out, err = self.why(*arguments, "-o", output)
            self.assertEqual((code, err), (0 if cause == "nothing" else 79, talk))
            if output == "json":
                self.expect_valid_json(out)
            elif cause == "nothing":
                self.assertIn("\n" + good, out)
            else:
                self.assertIn(f"\ncause     {cause}\n", out)
                self.assertIn("\nnext      ", out)
        return answer


class OfAControlPlane(WhyCase):
    def cause(self, cause, what, **more):
        return self.wait_for_cause(cause, what, "--server", self.plane.admin, **more)

    def wait_for_state(self, state):
        """Of the client, which has been told everything then."""
        self.wait_for(
            lambda _, clients: len(clients) == 1 and clients[0]["state"] == state
            and sum(sum(one[word] for word in ("good", "held_back", "failed"))
                    for one in clients[0]["types"]) == 2,
            "ps", "--server", self.plane.admin)

    def chain(self, answer):
        return [(link.get("type", "address"), link.get("name", link.get("address")), link["state"])
                for link in answer["chain"]]

    def test_all_good(self):
        self.put_chain(self.backend.ads)
        self.watch("lds/shop", "cds/pay", "eds/pay")
        answer = self.cause("nothing", "xds:///shop")
        self.assertEqual(self.chain(answer),
                         [("lds", "shop", "good"), ("cds", "pay", "good"), ("eds", "pay", "good"),
                          ("address", self.backend.ads, "good")])
        self.assertEqual(answer["summary"], "all good: every link of xds:///shop is good, and 1 of "
                                            "1 address answers from this machine")
        self.assertEqual(self.cause("nothing", "cds/pay")["asked"], "cds/pay")
        self.assertEqual(self.cause("nothing", "web-1")["asked"], "web-1")

    def test_a_wrong_name(self):
        self.put_chain(self.backend.ads)
        self.watch("lds/shpo")
        answer = self.cause("wrong_name", "xds:///shpo")
        self.assertEqual(answer["summary"],
                         "listener shpo: it does not exist; did you mean shop?")
        self.assertIn("NOT_FOUND", answer["said"])
        self.assertEqual(answer["next"], "write shop instead of shpo in the target of the client, "
                                         "or add listener shpo to the configuration")
        self.assertEqual(self.cause("wrong_name", "web-1")["summary"], answer["summary"])

    def test_a_name_that_no_client_asks_for_either(self):
        self.put_chain(self.backend.ads)
        self.cause("nothing", "xds:///shop", good="no client asks for ")
        self.assertEqual(self.cause("does_not_exist", "xds:///zebra")["summary"],
                         "listener zebra: it does not exist")

    def test_denied(self):
        self.put_chain(self.backend.ads)
        self.plane.write("deny.yaml", "errors:\n- {type: cds, name: pay, code: PERMISSION_DENIED, "
                                      'message: "ask #payments"}\n')
        self.watch("lds/shop", "cds/pay")
        self.wait_for_state("failed")
        answer = self.cause("denied", "xds:///shop")
        self.assertEqual(answer["summary"],
                         "cluster pay: the control plane does not give it to client web-1")
        self.assertIn("ask #payments", answer["said"])

    def test_invalid_without_an_older_version(self):
        self.put_chain(self.backend.ads)
        self.plane.write("pay.yaml", INVALID_CLUSTER)
        self.watch("lds/shop", "cds/pay")
        answer = self.cause("invalid", "xds:///shop")
        self.assertEqual(answer["broken"]["name"], "pay")
        self.assertIn("connect_timeoutt", answer["said"])
        self.assertRegex(answer["next"], r"^correct \S*pay.yaml:5:3: holdfast lint DIR ")

    def test_invalid_with_the_last_good_version_in_service(self):
        self.put_chain(self.backend.ads)
        self.watch("lds/shop", "cds/pay")
        self.wait_for_state("good")
        self.cause("nothing", "xds:///shop")
        self.plane.write("pay.yaml", INVALID_CLUSTER)
        answer = self.cause("invalid", "xds:///shop")
        self.assertEqual(answer["broken"]["state"], "held_back")
        self.assertIn("the last good one, is served to everybody", answer["in_use"])
        self.assertIn("connect_timeoutt", answer["said"])

    def test_rejected_and_held_back(self):
        self.put_chain(self.backend.ads)
        watch = self.watch("lds/shop", "cds/pay")
        self.wait_for_state("good")
        self.plane.write("pay.yaml", REJECTED_CLUSTER)
        answer = self.cause("rejected", "xds:///shop")
        self.assertEqual((answer["broken"]["name"], answer["broken"]["state"], answer["said_by"]),
                         ("pay", "held_back", "client web-1"))
        self.assertIn("must be EDS or LOGICAL_DNS", answer["said"])
        self.assertIn("the last good one: calls go on with it", answer["in_use"])
        self.assertIn("do not restart the client", answer["next"])
        self.assertIn("when", answer)
        self.assertEqual(self.cause("rejected", "web-1")["broken"]["name"], "pay")
        self.assertEqual(self.cause("rejected", "cds/pay")["broken"]["name"], "pay")
        self.assertEqual(watch.stop(), 0)

    def test_a_client_that_does_not_answer(self):
        self.put_chain(self.backend.ads)
        watch = self.watch("lds/shop", "cds/pay")
        self.wait_for_state("good")
        watch.child.send_signal(signal.SIGSTOP)
        self.plane.write("pay.yaml", GOOD_CLUSTER.replace("1s", "2s"))
        for asked in ("xds:///shop", "web-1"):
            answer = self.cause("waiting", asked)
            self.assertRegex(answer["summary"], r"^cluster pay: client web-1 was sent version "
                                                r"[0-9a-f]{8} \d+s ago and has not answered yet$")
            self.assertEqual(answer["next"],
                             "look at client web-1: its process may be stopped, or too busy to "
                             "read; an idle one with gRPC C++ 1.51 reads only every 5 s")
            self.assertIn("the last good one: calls go on with it", answer["in_use"])
            self.assertNotEqual(answer["broken"]["version"], answer["broken"]["newest_version"])
        _, out, _ = self.run_holdfast("ps", "--server", self.plane.admin)
        self.assertRegex(out, r"cds/pay: version [0-9a-f]{8} was sent and is not answered yet\n")
        _, out, _ = self.run_holdfast("ps", "--target", self.plane.ads)
        self.assertIn("cds/pay: the newest version was sent and is not answered yet\n", out)
        watch.child.send_signal(signal.SIGCONT)
        self.wait_for_state("good")

    def test_a_policy_that_holdfasts_channels_do_not_have(self):
        self.put_chain(self.backend.ads)
        self.plane.write("pay.yaml", GOOD_CLUSTER + "  lb_policy: RING_HASH\n")
        self.watch("lds/shop", "cds/pay", "eds/pay")
        said = ("cluster pay: asks for ring_hash, which Holdfast's channels do not have yet: their "
                "calls fail")
        for asked in ("xds:///shop", "cds/pay", "web-1"):
            answer = self.cause("nothing", asked)
            self.assertEqual(answer["also"], [said])
            self.assertIn(f"\nalso      {said}\n",
                          self.why(asked, "--server", self.plane.admin)[1])

    def test_rejected_and_nothing_to_use(self):
        self.put_chain(self.backend.ads)
        self.plane.write("pay.yaml", REJECTED_CLUSTER)
        self.watch("lds/shop", "cds/pay")
        answer = self.cause("rejected", "web-1")
        self.assertEqual(answer["broken"]["state"], "failed")
        self.assertIn("nothing: calls that need it fail", answer["in_use"])

    def test_no_endpoints(self):
        self.put_chain(self.backend.ads)
        self.plane.write("endpoints.yaml", "resources:\n- \"@type\": type.googleapis.com/"
                                           "envoy.config.endpoint.v3.ClusterLoadAssignment\n"
                                           "  cluster_name: pay\n")
        answer = self.cause("no_endpoints", "xds:///shop")
        self.assertEqual(answer["broken"]["type"], "eds")

    def test_draining_endpoints_are_not_called(self):
        self.put_chain(self.backend.ads)
        self.plane.write("endpoints.yaml", endpoints(self.backend.ads).replace(
            "[{endpoint:", "[{health_status: DRAINING, endpoint:"))
        answer = self.cause("no_endpoints", "xds:///shop")
        self.assertEqual(answer["summary"], "endpoints pay: 1 endpoint is draining")

    def test_endpoints_that_grpc_does_not_use(self):
        self.put_chain(self.backend.ads)
        self.plane.write("endpoints.yaml",
                         endpoints(self.backend.ads).replace("    load_balancing_weight: 1\n", ""))
        answer = self.cause("no_endpoints", "xds:///shop")
        self.assertEqual(answer["summary"], "endpoints pay: no locality has a "
                                            "load_balancing_weight, and gRPC uses none without")
        # Envoy does use them, and this is not about a target.
        self.cause("nothing", "eds/pay", good="no client asks for ")

    def test_no_virtual_host(self):
        self.put_chain(self.backend.ads)
        self.plane.write("shop.yaml", TO_PAY.replace('domains: ["*"]', 'domains: ["stores"]'))
        answer = self.cause("no_virtual_host", "xds:///shop")
        self.assertEqual(answer["summary"], "listener shop: no virtual host for this target: none "
                                            "has a domain that matches shop")
        self.assertEqual([link["name"] for link in answer["chain"]], ["shop"])

    def test_the_virtual_host_of_another_target(self):
        self.put_chain(self.backend.ads)
        both = TO_PAY.replace('domains: ["*"]', 'domains: ["shop"]') + TO_PAY.splitlines()[
            -1].replace('domains: ["*"]', 'domains: ["other"]').replace("pay", "gone").replace(
                "name: shop", "name: other") + "\n"
        self.plane.write("shop.yaml", both)
        self.watch("lds/shop", "cds/pay", "eds/pay")
        answer = self.cause("nothing", "xds:///shop")
        self.assertNotIn("gone", json.dumps(answer["chain"]))
        self.cause("does_not_exist", "lds/shop")

    def test_what_a_client_has_beyond_what_is_listed(self):
        """The control plane lists a hundred resources of a client that are not good."""
        self.put_chain(self.backend.ads)
        watch = self.watch("cds/pay", *(f"cds/a{number:03}" for number in range(100)))
        # A stream is listed from its first request on, with no type before an answer to it.
        self.wait_for(lambda _, clients: [(of["good"], of["failed"]) for one in clients
                                          for of in one["types"]] == [(1, 100)],
                      "ps", "--server", self.plane.admin)
        self.plane.write("pay.yaml", REJECTED_CLUSTER)
        self.wait_for(lambda _, clients: [of["held_back"] for one in clients
                                          for of in one["types"]] == [1] and
                      all(one["name"] != "pay" for one in clients[0]["resources"]),
                      "ps", "--server", self.plane.admin)
        answer = self.cause("rejected", "cds/pay")
        self.assertEqual(answer["said_by"], "client web-1")
        self.assertIn("must be EDS or LOGICAL_DNS", answer["said"])
        self.assertEqual(watch.stop(), 0)

    def test_endpoints_that_refuse(self):
        self.put_chain(self.backend.ads)
        address = f"127.0.0.1:{free_port()}"
        self.plane.write("endpoints.yaml", endpoints(address))
        answer = self.cause("endpoints_refuse", "xds:///shop")
        self.assertEqual((answer["said_by"], answer["said"]), (address, "connection refused"))
        self.assertIn(f"start the server at {address}, or correct the addresses in endpoints pay",
                      answer["next"])

    def test_watching_goes_on_until_a_signal(self):
        self.put_chain(self.backend.ads)
        self.cause("nothing", "xds:///shop", good="no client asks for ")
        with Process([self.program, "why", "xds:///shop", "--watch", "--server", self.plane.admin],
                     env=environment(None)) as why:
            while not (line := why.lines.next()).startswith("no client asks for "):
                self.assertRegex(line, r"^(--- 20.*Z|✔ .*|)\n$")
            self.plane.remove("pay.yaml")
            while "cluster pay: it does not exist" not in why.lines.next():
                pass
            why.child.send_signal(signal.SIGINT)
            self.assertEqual(why.exit_code(), 0)

    def test_a_client_that_is_not_connected(self):
        self.watch("cds/web").next_event()
        answer = self.cause("not_connected", "wbe-1")
        self.assertEqual(answer["summary"], "client wbe-1: not connected; did you mean web-1?")

    def test_nobody_there(self):
        self.plane.kill()
        for output in OUTPUTS:
            code, out, err = self.why("xds:///web", "--server", self.plane.admin, "-o", output)
            self.assertEqual((code, out), (69, ""))
            self.assertIn("connection refused; clients go on with what they have: ask one of them, "
                          "with --target", err)


class Usage(FleetCase):
    def setUp(self):
        pass

    def expect_refusal(self, arguments, part):
        code, out, err = self.run_holdfast("why", *arguments)
        self.assertEqual((code, out), (64, ""), err)
        self.assertIn(part, err)

    def test_help_starts_with_an_example(self):
        code, out, err = self.run_holdfast("why", "--help")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("holdfast why xds:///web\n"), out)

    def test_wrong_arguments(self):
        self.expect_refusal([], "name one target, client or resource, as in")
        self.expect_refusal(["a", "b"], "name one target, client or resource, as in")
        self.expect_refusal(["cdss/pay"], "did you mean cds/pay?")
        self.expect_refusal(["xsd:///web"], "it begins with xds:, as in xds:///web")
        self.expect_refusal(["xds:///web", "--sever", "a:1"], "did you mean --server?")
        self.expect_refusal(["xds:///web", "-o", "jsno"], "did you mean json?")
        self.expect_refusal(["xds:///web", "--server", "localhost"], "there is no port")
        self.expect_refusal(["xds:///web", "--target", "localhost"], "there is no port")

    def test_an_answer_that_is_not_complete_is_no_good_news(self):
        body = json.dumps({"time": "2026-11-16T18:00:00Z", "clients": [], "errors": [],
                           "resources": [{"type": "cds", "name": "pay", "version": "a",
                                          "clients": {"good": 1}}],
                           "incomplete": "1 of 4 workers did not answer in time"}).encode()
        with http_server(200, body) as address:
            code, out, err = self.run_holdfast("why", "cds/pay", "--server", address, "-o", "json")
        self.assertEqual((code, err), (79, "holdfast why: the answer of the control plane is not "
                                           "complete: 1 of 4 workers did not answer in time\n"))
        answer = json.loads(out)
        self.assertEqual(answer["cause"], "incomplete")
        self.assertEqual(answer["summary"],
                         "nothing is wrong with what was told of cds/pay, but the answer is not "
                         "complete: 1 of 4 workers did not answer in time")

    def test_an_unreachable_answer_comes_soon(self):
        begin = time.monotonic()
        self.assertEqual(self.run_holdfast("why", "a", "--server",
                                           f"127.0.0.1:{free_port()}")[0], 69)
        self.assertLess(time.monotonic() - begin, 10)


if __name__ == "__main__":
    FleetCase.program = sys.argv.pop(1)
    unittest.main()
