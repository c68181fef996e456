"""`holdfast watch` against a foreign server, and its CSDS read by a foreign client.

    watch_test.py HOLDFAST
"""

# ctest: interop.watch
# Server errors (TP3) of every code over the wire: R2.01 R2.02 R2.10 R2.11 R2.12 R2.13 R2.14 R2.24
# R2.26 R3-T11 R3-T14. Deletion: R3-T09 R3-T10 R6.01. NACK: R3-T05 R3-T06 R5.01 R1.32. Connectivity:
# R3-T02 R3-T26 R1.35. CSDS: R9.01 R9.05 R9.06 R9.07 R3.08.

import statistics
import sys
import time
import unittest

import grpc
from envoy.admin.v3 import config_dump_shared_pb2
from envoy.service.status.v3 import csds_pb2
from envoy.service.status.v3 import csds_pb2_grpc
from grpc_health.v1 import health_pb2

from foreign_server import ForeignServer, bad_cluster, cluster, clusters, error
from watch_process import PATIENCE, WatchProcess, bootstrap

PROGRAM = None
CODES = {code.value[0]: code.name for code in grpc.StatusCode if code.value[0] != 0}
MANY = 10_000


class Watch(unittest.TestCase):
    def setUp(self):
        self.server = ForeignServer()
        self.addCleanup(self.server.close)

    def watch(self, *arguments, features=(), **more):
        watch = WatchProcess(PROGRAM, arguments, bootstrap(self.server.address, features), **more)
        self.addCleanup(watch.__exit__)
        return watch

    def expect_error(self, event, code, reason, *parts, kind="resource_changed"):
        self.assertEqual((event["event"], event["error"]["code"], event["reason"]),
                         (kind, code, reason), event)
        for part in parts:
            self.assertIn(part, event["error"]["message"])

    def expect_value(self, event, version):
        self.assertEqual((event["event"], event.get("version")), ("resource_changed", version),
                         event)

    def start_with(self, *resources, **more):
        """A watch of cds/pay whose first response has these resources; (watch, stream)."""
        watch = self.watch("cds/pay", **more)
        stream, _ = self.server.next_request()
        self.server.send(stream, clusters("1", *resources))
        return watch, stream

    def test_server_errors_of_every_code(self):
        codes = {**CODES, 17: "UNKNOWN", -1: "UNKNOWN"}
        watch = self.watch(*(f"cds/c{code}" for code in codes))
        stream, _ = self.server.next_request(lambda request: len(request["resourceNames"]) == 18)
        self.server.send(stream, clusters("1", errors=[error(f"c{code}", code, f"why {code}")
                                                       for code in codes]))
        events = {event["name"]: event for event in (watch.next_event() for _ in codes)}
        for code, name in codes.items():
            self.expect_error(events[f"c{code}"], name, "server_error", f"why {code}")
        for code in (17, -1):
            self.assertIn(f"code {code}", events[f"c{code}"]["error"]["message"])
        _, ack = self.server.next_request()
        self.assertEqual(ack["versionInfo"], "1")
        self.assertNotIn("errorDetail", ack)
        # They are remembered, and the resource ends each of them.
        self.server.send(stream, clusters("2", *(cluster(f"c{code}") for code in codes)))
        for _ in codes:
            self.expect_value(watch.next_event(), "2")

    def test_a_server_error_of_code_zero_is_rejected(self):
        watch = self.watch("cds/pay")
        stream, _ = self.server.next_request()
        self.server.send(stream, clusters("1", errors=[error("pay", 0, "fine")]))
        _, nack = self.server.next_request()
        self.assertEqual(nack["errorDetail"]["code"], 3)
        self.assertIn("pay", nack["errorDetail"]["message"])
        self.server.send(stream, clusters("2", cluster("pay")))
        self.expect_value(watch.next_event(), "2")

    def test_a_missing_name_is_known_in_milliseconds(self):
        watch = self.watch("--stdin")
        spent = []
        for number in range(20):
            name = f"none-{number}"
            started = time.monotonic()
            watch.tell(f"watch cds/{name}")
            stream, _ = self.server.next_request(lambda request: name in request["resourceNames"])
            self.server.send(stream, clusters(str(number), errors=[error(name, 5, "never heard")]))
            self.expect_error(watch.next_event(), "NOT_FOUND", "server_error", "never heard")
            spent.append((time.monotonic() - started) * 1000)
        print(f"a missing name is known after {statistics.median(spent):.1f} ms "
              f"(median; most {max(spent):.1f} ms), both processes included", flush=True)
        self.assertLess(statistics.median(spent), 1000)

    def test_a_deleted_cluster_is_kept(self):
        watch, stream = self.start_with(cluster("pay"))
        self.expect_value(watch.next_event(), "1")
        self.server.send(stream, clusters("2"))
        self.expect_error(watch.next_event(), "NOT_FOUND", "deleted", "keeping version 1",
                          kind="ambient_error")
        self.server.send(stream, clusters("3", cluster("pay")))
        cleared = watch.next_event()
        self.assertEqual(list(cleared), ["event", "type", "name", "error", "server", "time"])
        self.assertEqual((cleared["event"], cleared["error"], cleared["server"]),
                         ("ambient_error", None, self.server.address))

    def test_a_deleted_cluster_is_dropped_where_the_bootstrap_says_so(self):
        watch, stream = self.start_with(cluster("pay"), features=["fail_on_data_errors"])
        self.expect_value(watch.next_event(), "1")
        self.server.send(stream, clusters("2"))
        self.expect_error(watch.next_event(), "NOT_FOUND", "deleted", "no longer used")
        self.server.send(stream, clusters("3", cluster("pay")))
        self.expect_value(watch.next_event(), "3")

    def test_a_deleted_cluster_is_dropped_with_the_guard_off(self):
        watch, stream = self.start_with(
            cluster("pay"), GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING="no")
        self.expect_value(watch.next_event(), "1")
        self.server.send(stream, clusters("2"))
        self.expect_error(watch.next_event(), "NOT_FOUND", "deleted")

    def test_a_bad_cluster_is_rejected_with_the_reason(self):
        watch, stream = self.start_with(bad_cluster("pay"))
        self.expect_error(watch.next_event(), "INVALID_ARGUMENT", "nack", "eds_cluster_config")
        _, nack = self.server.next_request(lambda request: "errorDetail" in request)
        self.assertEqual((nack.get("versionInfo", ""), nack["responseNonce"]), ("", "nonce-1"))
        self.assertIn('cluster "pay": eds_cluster_config', nack["errorDetail"]["message"])
        self.server.send(stream, clusters("2", cluster("pay")))
        self.expect_value(watch.next_event(), "2")
        self.server.send(stream, clusters("3", bad_cluster("pay"), cluster("other")))
        self.expect_error(watch.next_event(), "INVALID_ARGUMENT", "nack", "keeping version 2",
                          kind="ambient_error")
        _, nack = self.server.next_request(lambda request: "errorDetail" in request)
        self.assertEqual((nack["versionInfo"], nack["responseNonce"]), ("2", "nonce-3"))

    def test_a_killed_server_comes_back(self):
        watch, _ = self.start_with(cluster("pay"))
        self.expect_value(watch.next_event(), "1")
        self.server.next_request()
        self.server.kill()
        # A connection that the kernel had accepted for it may be reset first.
        outage = {"error": {"message": ""}}
        while "Connection refused" not in outage["error"]["message"]:
            outage = watch.next_event()
            self.expect_error(outage, "UNAVAILABLE", "connectivity", kind="ambient_error")
        self.server.start()
        stream, first = self.server.next_request()
        self.assertEqual(first["versionInfo"], "1")
        self.assertNotIn("responseNonce", first)
        self.assertEqual(first["resourceNames"], ["pay"])
        self.assertEqual(first["node"]["id"], "web-1")
        self.server.send(stream, clusters("1", cluster("pay")))
        self.assertIsNone(watch.next_event()["error"])
        # What comes next shows that there was one all-clear and no more.
        self.server.send(stream, clusters("2", cluster("pay", lbPolicy="RING_HASH")))
        self.expect_value(watch.next_event(), "2")

    def test_garbage_is_survived(self):
        watch = self.watch("cds/pay")
        stream, _ = self.server.next_request()
        self.server.send_bytes(stream, b"\xff" * 40)
        self.server.send_bytes(stream, b"")
        self.server.send(stream, {"typeUrl": "type.googleapis.com/acme.Unknown", "nonce": "x",
                                  "versionInfo": "9"})
        self.server.send(stream, clusters("1", cluster("pay")))
        self.expect_value(watch.next_event(), "1")

    def test_many_names_and_two_watchers_of_one(self):
        watch = self.watch("--stdin")
        for number in range(MANY):
            watch.tell(f"watch cds/c{number}")
        stream, _ = self.server.next_request(
            lambda request: len(request["resourceNames"]) == MANY)
        self.server.send(stream, clusters("1", *(cluster(f"c{number}") for number in range(MANY))))
        names = {watch.next_event()["name"] for _ in range(MANY)}
        self.assertEqual(names, {f"c{number}" for number in range(MANY)})
        watch.tell("watch cds/c7")
        event = watch.next_event()
        self.assertEqual((event["name"], event["watcher"], event["version"]), ("c7", 2, "1"))
        watch.child.stdin.close()
        self.assertEqual(watch.exit_code(), 0)

    def test_foreign_eyes_see_the_same_in_csds(self):
        status = config_dump_shared_pb2.ClientResourceStatus.Value
        watch = self.watch("cds/good", "cds/kept", "cds/denied", "cds/asked", "--admin",
                           "127.0.0.1:0")
        address = watch.admin_address()
        stream, _ = self.server.next_request(lambda request: len(request["resourceNames"]) == 4)
        self.server.send(stream, clusters("1", cluster("good"), cluster("kept"),
                                          errors=[error("denied", 7, "ask #payments")]))
        events = {event["name"]: event for event in (watch.next_event() for _ in range(3))}
        self.server.send(stream, clusters("2", cluster("good"), bad_cluster("kept")))
        self.expect_error(watch.next_event(), "INVALID_ARGUMENT", "nack", kind="ambient_error")

        with grpc.insecure_channel(address) as channel:
            stub = csds_pb2_grpc.ClientStatusDiscoveryServiceStub(channel)
            response = stub.FetchClientStatus(csds_pb2.ClientStatusRequest(), timeout=PATIENCE)
            check = channel.unary_unary(
                "/grpc.health.v1.Health/Check",
                request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
                response_deserializer=health_pb2.HealthCheckResponse.FromString)
            health = check(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
        self.assertEqual(health.status, health_pb2.HealthCheckResponse.SERVING)
        (config,) = response.config
        self.assertEqual((config.client_scope, config.node.id), ("xds_client", "web-1"))
        found = {entry.name: entry for entry in config.generic_xds_configs}
        self.assertEqual({name: entry.client_status for name, entry in found.items()},
                         {"good": status("ACKED"), "kept": status("NACKED"),
                          "denied": status("RECEIVED_ERROR"), "asked": status("REQUESTED")})
        self.assertEqual((found["good"].version_info, found["kept"].version_info), ("2", "1"))
        self.assertEqual(found["kept"].version_info, events["kept"]["version"])
        self.assertEqual(found["kept"].error_state.version_info, "2")
        self.assertIn("eds_cluster_config", found["kept"].error_state.details)
        self.assertIn("ask #payments", found["denied"].error_state.details)
        self.assertFalse(found["denied"].HasField("xds_config"))
        self.assertEqual(found["good"].xds_config.type_url, found["good"].type_url)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
