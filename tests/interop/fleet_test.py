"""`holdfast ps` and `holdfast why` of other people's clients: Debian's gRPC C++, the newest grpcio
and Envoy, through the control plane, and grpcio through its own CSDS too.

    fleet_test.py HOLDFAST STOCK_CLIENT
"""

# ctest: interop.fleet

import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from fleet_case import REJECTED_CLUSTER, FleetCase, endpoints, free_port  # noqa: E402
from health_backend import HealthBackend  # noqa: E402
from serve_envoy_test import Backend, Envoy, cluster, config  # noqa: E402
from serve_grpcio_test import GrpcioClient  # noqa: E402
from watch_process import PATIENCE, Process, bootstrap, environment  # noqa: E402

STOCK = None


class OfOthers(FleetCase):
    def setUp(self):
        super().setUp()
        self.backend = HealthBackend("one")
        self.addCleanup(self.backend.__exit__)
        self.server = ("--server", self.plane.admin)

    def wait_for_cause(self, cause, *arguments):
        answer, = self.wait_for(lambda _, answers: answers and answers[0]["cause"] == cause, "why",
                                *arguments)
        return answer

    def expect_all_good(self, *ask):
        self.wait_for_states({"web-1": "good"}, *ask)
        answer = self.wait_for_cause("nothing", "xds:///shop", *ask)
        self.assertEqual([link.get("type", "address") for link in answer["chain"]],
                         ["lds", "cds", "eds", "address"])
        self.assertEqual(answer["chain"][-1]["address"], self.backend.address)

    def expect_rejected(self, *ask):
        answer = self.wait_for_cause("rejected", "xds:///shop", *ask)
        self.assertEqual((answer["broken"]["name"], answer["broken"]["state"], answer["said_by"]),
                         ("pay", "held_back", "client web-1"), answer)
        clients = self.wait_for(lambda code, _: code == 79, "ps", *ask)
        self.assertIn("held_back", [client["state"] for client in clients])

    def expect_wrong_name(self):
        answer = self.wait_for_cause("wrong_name", "xds:///shpo", *self.server)
        self.assertEqual(answer["summary"], "listener shpo: it does not exist; did you mean shop?")

    def test_debians_grpc_through_the_control_plane(self):
        def call(target, seconds=PATIENCE):
            client.tell(f"call {target} {seconds}")
            return json.loads(client.lines.next(2 * PATIENCE))

        self.put_chain(self.backend.address)
        self.wait_for_cause("nothing", "xds:///shop", *self.server)
        client = Process([STOCK], env=environment(bootstrap(self.plane.ads)))
        self.addCleanup(client.__exit__)
        self.assertEqual(call("xds:///shop")["code"], 0)
        one, = self.wait_for_states({"web-1": "good"}, *self.server)
        self.assertEqual(one["user_agent"], "gRPC C-core linux C-core 29.0.0")  # 1.51.1
        self.expect_all_good(*self.server)
        nobody = f"127.0.0.1:{free_port()}"
        self.plane.write("endpoints.yaml", endpoints(nobody))
        answer = self.wait_for_cause("endpoints_refuse", "xds:///shop", *self.server)
        self.assertEqual((answer["said_by"], answer["said"]), (nobody, "connection refused"))
        self.plane.write("endpoints.yaml", endpoints(self.backend.address))
        self.wait_for_cause("nothing", "xds:///shop", *self.server)
        self.plane.write("pay.yaml", REJECTED_CLUSTER)
        # It reads what came only while somebody polls.
        call("xds:///shop", 5)
        self.expect_rejected(*self.server)
        # It knows no TP3: it is told, and waits for what will not come.
        call("xds:///shpo", 1)
        self.expect_wrong_name()

    def test_grpcio_through_the_control_plane_and_its_own_csds(self):
        self.put_chain(self.backend.address)
        self.wait_for_cause("nothing", "xds:///shop", *self.server)
        client = GrpcioClient(self.plane.ads)
        self.addCleanup(client.process.__exit__)
        own = ("--target", client.csds)
        code, out, err = self.run_holdfast("ps", *own)
        self.assertEqual((code, out), (0, ""))
        self.assertIn("has no xDS client yet", err)
        self.assertEqual(client.call("xds:///shop")["code"], "OK")
        one, = self.wait_for_states({"web-1": "good"}, *self.server)
        self.assertIn("1.85.1", one["user_agent"])
        self.expect_all_good(*self.server)
        self.expect_all_good(*own)
        process, = self.wait_for_states({"web-1": "good"}, *own)
        self.assertEqual({one["type"]: one["good"] for one in process["types"]},
                         {"lds": 1, "cds": 1, "eds": 1})
        # A rejection: the control plane and the process tell the same.
        self.plane.write("pay.yaml", REJECTED_CLUSTER)
        self.expect_rejected(*self.server)
        self.expect_rejected(*own)

        client.call("xds:///shpo", 5)
        self.expect_wrong_name()
        code, out, _ = self.run_holdfast("why", "xds:///shpo", *own, "-o", "json")
        self.assertEqual(code, 79)
        self.assertIn('no listener "shpo"', json.loads(out)["said"])

    def test_envoy_through_the_control_plane(self):
        backend = Backend("one")
        self.addCleanup(backend.close)
        self.plane.remove("web.yaml")  # Envoy has no use for the listener of a gRPC client.
        self.plane.write("front.json", config("one", backend.port))
        for api_type, protocol in (("GRPC", "sotw"), ("DELTA_GRPC", "delta")):
            with self.subTest(api_type):
                self.expect_envoy_seen(api_type, protocol)

    def expect_envoy_seen(self, api_type, protocol):
        envoy = Envoy(self.plane.ads, api_type)
        try:
            client, = self.wait_for_states({"envoy-1": "good"}, *self.server)
            self.assertEqual(client["protocol"], protocol)
            self.assertEqual([(one["type"], one["everything"]) for one in client["types"]],
                             [("lds", True), ("rds", False), ("cds", True), ("eds", False)])
            answer = self.wait_for_cause("nothing", "lds/front", *self.server)
            self.assertEqual([link.get("type", "address") for link in answer["chain"]],
                             ["lds", "rds", "cds", "eds", "address"])
            # Something that it refuses: this type needs a policy of its own.
            self.plane.write("odd.json", json.dumps({"resources": [
                {**cluster("odd"), "type": "ORIGINAL_DST"}]}))
            for asked in ("cds/odd", "envoy-1"):
                answer = self.wait_for_cause("rejected", asked, *self.server)
                self.assertEqual((answer["said_by"], answer["broken"]["name"],
                                  answer["broken"]["state"]), ("client envoy-1", "odd", "failed"))
            self.wait_for_states({"envoy-1": "failed"}, *self.server)
        finally:
            envoy.close()
            self.plane.remove("odd.json")


if __name__ == "__main__":
    FleetCase.program, STOCK = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
