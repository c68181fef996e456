"""`holdfast probe --admin`, looked at by a foreign client: what CSDS says of a channel's resources
while its calls go on.

    probe_test.py HOLDFAST
"""

# ctest: interop.probe
# CSDS: R9.01 R9.02 R9.05 R9.06 R9.07.

import sys
import time
import unittest
from pathlib import Path

import grpc
from envoy.admin.v3 import config_dump_shared_pb2
from envoy.service.status.v3 import csds_pb2
from envoy.service.status.v3 import csds_pb2_grpc
from grpc_health.v1 import health_pb2

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from fleet_case import GOOD_CLUSTER, REJECTED_CLUSTER, endpoints  # noqa: E402
from health_backend import HealthBackend  # noqa: E402
from serve_process import ServeProcess  # noqa: E402
from watch_process import PATIENCE, TalkingProcess, bootstrap  # noqa: E402

PROGRAM = None
SHOP = """resources:
- "@type": type.googleapis.com/envoy.config.listener.v3.Listener
  name: shop
  api_listener:
    api_listener:
      "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
      http_filters:
      - name: router
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
      rds: {route_config_name: shop-routes, config_source: {ads: {}}}
- "@type": type.googleapis.com/envoy.config.route.v3.RouteConfiguration
  name: shop-routes
  virtual_hosts:
  - {name: shop, domains: ["*"], routes: [{match: {prefix: ""}, route: {cluster: pay}}]}
"""
DENIED = """errors:
- {type: eds, name: pay, code: PERMISSION_DENIED, message: "ask #payments"}
"""
LISTENER = "type.googleapis.com/envoy.config.listener.v3.Listener"
ROUTES = "type.googleapis.com/envoy.config.route.v3.RouteConfiguration"
CLUSTER = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
ENDPOINTS = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"
GOOD = {(LISTENER, "shop"): "ACKED", (ROUTES, "shop-routes"): "ACKED", (CLUSTER, "pay"): "ACKED",
        (ENDPOINTS, "pay"): "ACKED"}


class ProbeSeenByOthers(unittest.TestCase):
    def setUp(self):
        self.backend = HealthBackend("one")
        self.addCleanup(self.backend.__exit__)
        self.plane = ServeProcess(PROGRAM, files={"shop.yaml": SHOP, "pay.yaml": GOOD_CLUSTER,
                                                  "endpoints.yaml": endpoints(self.backend.address)})
        self.addCleanup(self.plane.__exit__)
        self.probe = TalkingProcess([PROGRAM, "probe", "xds:///shop", "-o", "json", "--stdin",
                                     "--admin", "127.0.0.1:0"], bootstrap(self.plane.ads))
        self.addCleanup(self.probe.__exit__)
        self.channel = grpc.insecure_channel(self.probe.admin_address())
        self.addCleanup(self.channel.close)

    def expect_ok(self):
        self.probe.tell("call")
        result = self.probe.next_result()
        self.assertEqual((result["code"], result["peer"]), ("OK", f"ipv4:{self.backend.address}"),
                         result["message"])

    def fetch(self):
        stub = csds_pb2_grpc.ClientStatusDiscoveryServiceStub(self.channel)
        return stub.FetchClientStatus(csds_pb2.ClientStatusRequest(), timeout=PATIENCE).config

    def wait_for(self, states):
        """Until CSDS shows the resources in these states, and no others; its entries."""
        deadline = time.monotonic() + PATIENCE
        while True:
            (config,) = self.fetch()
            found = {(entry.type_url, entry.name): entry for entry in config.generic_xds_configs}
            seen = {key: config_dump_shared_pb2.ClientResourceStatus.Name(entry.client_status)
                    for key, entry in found.items()}
            if seen == states:
                return found
            self.assertLess(time.monotonic(), deadline, (seen, self.plane.talk()))
            time.sleep(0.02)

    def test_its_resources_and_what_is_wrong_with_them(self):
        self.assertEqual(len(self.fetch()), 0)  # Nobody has called yet.
        self.expect_ok()
        found = self.wait_for(GOOD)
        (config,) = self.fetch()
        self.assertEqual((config.client_scope, config.node.id), ("xds:///shop", "web-1"))
        for (type_url, _), entry in found.items():
            self.assertEqual(entry.xds_config.type_url, type_url)
            self.assertFalse(entry.HasField("error_state"), entry)
            self.assertNotEqual(entry.version_info, "")
        good_cluster = found[CLUSTER, "pay"]

        self.plane.write("pay.yaml", REJECTED_CLUSTER)
        rejected = self.wait_for({**GOOD, (CLUSTER, "pay"): "NACKED"})[CLUSTER, "pay"]
        self.assertIn("type: must be EDS or LOGICAL_DNS", rejected.error_state.details)
        self.assertNotEqual(rejected.error_state.version_info, good_cluster.version_info)
        # What is used is what was good.
        self.assertEqual((rejected.version_info, rejected.xds_config),
                         (good_cluster.version_info, good_cluster.xds_config))
        self.expect_ok()

        self.plane.write("denied.yaml", DENIED)
        found = self.wait_for({**GOOD, (CLUSTER, "pay"): "NACKED",
                               (ENDPOINTS, "pay"): "RECEIVED_ERROR"})
        denied = found[ENDPOINTS, "pay"]
        self.assertIn("PERMISSION_DENIED", denied.error_state.details)
        self.assertIn("ask #payments", denied.error_state.details)
        self.assertTrue(denied.HasField("xds_config"))
        self.expect_ok()

        self.plane.remove("denied.yaml")
        self.plane.write("pay.yaml", GOOD_CLUSTER)
        for entry in self.wait_for(GOOD).values():
            self.assertFalse(entry.HasField("error_state"), entry)
        self.expect_ok()

    def test_it_is_healthy_while_its_calls_fail(self):
        check = self.channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString)
        self.expect_ok()
        self.assertEqual(check(health_pb2.HealthCheckRequest(), timeout=PATIENCE).status,
                         health_pb2.HealthCheckResponse.SERVING)
        self.backend.__exit__()
        self.probe.tell("call")
        while self.probe.next_result()["code"] == "OK":
            self.probe.tell("call")
        self.assertEqual(check(health_pb2.HealthCheckRequest(), timeout=PATIENCE).status,
                         health_pb2.HealthCheckResponse.SERVING)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
