"""`holdfast why --target` as a shell sees it: of one process, through CSDS.

    why_process_test.py HOLDFAST
"""

# ctest: end_to_end.why_process

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from fleet_case import INVALID_CLUSTER, FleetCase, free_port  # noqa: E402
from watch_process import bootstrap  # noqa: E402
from why_test import WhyCase  # noqa: E402

PROCESS = "nothing is wrong with what the process tells: "


class OfAProcess(WhyCase):
    def process(self, *names, **more):
        watch = self.watch(*names, arguments=["--admin", "127.0.0.1:0"], **more)
        return watch, watch.admin_address()

    def test_the_chain_of_what_the_process_has(self):
        self.put_chain(self.backend.ads)
        _, address = self.process("lds/shop", "cds/pay", "eds/pay")
        answer = self.wait_for_cause("nothing", "xds:///shop", "--target", address, good=PROCESS)
        self.assertIn("can reach its control plane was not checked", answer["also"][0])
        self.assertEqual([link["depth"] for link in answer["chain"]], [0, 1, 2, 3])
        self.assertEqual(answer["chain"][3]["address"], self.backend.ads)

    def test_a_client_that_denied_is_told_is(self):
        self.put_chain(self.backend.ads)
        self.plane.write("deny.yaml", "errors:\n- {type: cds, name: pay, code: PERMISSION_DENIED, "
                                      'message: "ask #payments"}\n')
        _, address = self.process("lds/shop", "cds/pay")
        answer = self.wait_for_cause("denied", "xds:///shop", "--target", address)
        self.assertIn("ask #payments", answer["said"])

    def test_deleted_and_kept(self):
        self.put_chain(self.backend.ads)
        watch, address = self.process("lds/shop", "cds/pay", "eds/pay")
        self.wait_for_cause("nothing", "xds:///shop", "--target", address, good=PROCESS)
        self.plane.remove("pay.yaml")
        answer = self.wait_for_cause("deleted_but_kept", "xds:///shop", "--target", address)
        self.assertEqual(answer["broken"]["name"], "pay")
        self.assertIn("the last good one: calls go on with it", answer["in_use"])
        self.assertEqual(watch.stop(), 0)

    def test_a_control_plane_that_died(self):
        self.put_chain(self.backend.ads)
        _, address = self.process("lds/shop", "cds/pay", "eds/pay")
        self.wait_for_cause("nothing", "xds:///shop", "--target", address, good=PROCESS)
        self.plane.kill()
        # The bootstrap of the environment says whom clients of this machine ask.
        code, out, err = self.why("xds:///shop", "--target", address, "-o", "json",
                                  bootstrap_text=bootstrap(self.plane.ads))
        self.assertEqual((code, err), (79, ""))
        answer = json.loads(out)
        self.assertEqual((answer["cause"], answer["said"]),
                         ("control_plane_unreachable", "connection refused"))
        self.assertEqual(answer["in_use"], "what the client has: calls go on with it")
        # However it is written there.
        for uri in ("dns:///" + self.plane.ads, "dns:" + self.plane.ads, "ipv4:" + self.plane.ads):
            code, out, err = self.why("xds:///shop", "--target", address, "-o", "json",
                                      bootstrap_text=bootstrap(uri))
            self.assertEqual((code, json.loads(out)["cause"]), (79, "control_plane_unreachable"))
        code, out, err = self.why("xds:///shop", "--target", address, "-o", "json",
                                  bootstrap_text=bootstrap("unix:/nowhere/cp.sock"))
        self.assertEqual((code, json.loads(out)["cause"]), (0, "nothing"))
        # An admin port is not what the process talks to.
        self.wait_for_cause(
            "nothing", "xds:///shop", "--target", address, "--server", self.plane.admin,
            good=PROCESS,
            talk=f"holdfast why: cannot ask the control plane at http://{self.plane.admin}"
                 "/api/v1/errors: connection refused; what follows is what the process says "
                 "alone\n")

    def test_the_first_of_two_servers_is_down(self):
        self.put_chain(self.backend.ads)
        _, address = self.process("lds/shop", "cds/pay", "eds/pay")
        self.wait_for_cause("nothing", "xds:///shop", "--target", address, good=PROCESS)
        # An address above that of the other, so that their order is not that of their names.
        two = json.loads(bootstrap(f"127.0.0.2:{free_port()}"))
        two["xds_servers"] += json.loads(bootstrap(self.plane.ads))["xds_servers"]
        code, out, err = self.why("xds:///shop", "--target", address, "-o", "json",
                                  bootstrap_text=json.dumps(two))
        self.assertEqual((code, err), (79, ""))
        answer = json.loads(out)
        self.assertEqual((answer["cause"], answer["said"]),
                         ("control_plane_unreachable", "connection refused"))
        self.assertIn(f"{self.plane.ads} too, and it answers", answer["also"][0])

    def test_a_server_that_takes_no_stream(self):
        self.put_chain(self.backend.ads)
        _, address = self.process("lds/shop", "cds/pay", "eds/pay")
        self.wait_for_cause("nothing", "xds:///shop", "--target", address, good=PROCESS)

        def ask(text):
            code, out, err = self.why("xds:///shop", "--target", address, "-o", "json",
                                      bootstrap_text=text)
            self.assertEqual(err, "")
            return code, json.loads(out)

        # One that does, and what is opened there is no client.
        code, answer = ask(bootstrap(self.plane.ads))
        self.assertEqual((code, answer["summary"]),
                         (0, "all good: every link of xds:///shop is good, and 1 of 1 address "
                             "answers from this machine"))
        # A gRPC server without ADS, one that wants no TLS, and no gRPC server at all.
        with_tls = json.loads(bootstrap(self.plane.ads))
        with_tls["xds_servers"][0]["channel_creds"] = [{"type": "tls"}]
        for text, server, said in (
                (bootstrap(address), address, "UNIMPLEMENTED"),
                (json.dumps(with_tls), self.plane.ads, "UNAVAILABLE: "),
                (bootstrap(self.plane.admin), self.plane.admin, "UNAVAILABLE: ")):
            code, answer = ask(text)
            self.assertEqual((code, answer["cause"], answer["summary"]),
                             (79, "control_plane_unreachable",
                              f"control plane {server}: takes no stream from this machine"))
            self.assertIn(said, answer["said"])

    def test_a_broken_bootstrap_is_told(self):
        self.put_chain(self.backend.ads)
        _, address = self.process("lds/shop", "cds/pay", "eds/pay")
        self.wait_for_cause("nothing", "xds:///shop", "--target", address, good=PROCESS)
        code, _, err = self.why("xds:///shop", "--target", address,
                                bootstrap_text='{"xds_servers": [')
        self.assertEqual(code, 0)
        self.assertTrue(err.startswith("holdfast why: the bootstrap of the environment is not "
                                       "used: "), err)

    def test_without_endpoints_nobody_knows(self):
        self.put_chain(self.backend.ads)
        _, address = self.process("lds/shop", "cds/pay")
        answer = self.wait_for_cause("incomplete", "xds:///shop", "--target", address)
        self.assertEqual(answer["summary"], "endpoints pay: the client does not ask for it, so the "
                                            "chain has no address")

    def test_the_control_plane_explains_what_the_process_says(self):
        self.put_chain(self.backend.ads)
        self.plane.write("pay.yaml", INVALID_CLUSTER)
        _, address = self.process("lds/shop", "cds/pay")
        answer = self.wait_for_cause("invalid", "xds:///shop", "--target", address, "--server",
                                     self.plane.admin)
        self.assertIn("connect_timeoutt", answer["said"])
        self.assertEqual(answer["in_use"], "nothing: calls that need it fail, or wait")

    def test_waiting(self):
        self.plane.kill()
        _, address = self.process("lds/shop")
        answer = self.wait_for_cause("waiting", "xds:///shop", "--target", address)
        self.assertEqual(answer["summary"],
                         "listener shop: REQUESTED (clients wait 15 s, or 30)")

    def test_a_target_that_the_process_does_not_have(self):
        _, address = self.process("lds/web")
        answer = self.wait_for_cause("wrong_name", "xds:///wbe", "--target", address)
        self.assertEqual(answer["summary"],
                         "listener wbe: the client does not ask for it; did you mean web?")
        self.wait_for_cause("not_asked_for", "xds:///zebra", "--target", address)

    def test_nobody_there(self):
        address = f"127.0.0.1:{free_port()}"
        self.assertEqual(
            self.why("xds:///web", "--target", address),
            (69, "", f"holdfast why: cannot ask the process at {address}: connection refused\n"))


if __name__ == "__main__":
    FleetCase.program = sys.argv.pop(1)
    unittest.main()
