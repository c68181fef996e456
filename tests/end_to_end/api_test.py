"""/api/v1 of `holdfast serve` with real clients: who runs what, what is served, what fails.

    api_test.py HOLDFAST
"""

# ctest: end_to_end.api

import contextlib
import json
import signal
import socket
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from serve_process import ServeProcess, service  # noqa: E402
from watch_process import PATIENCE, WatchProcess, bootstrap  # noqa: E402

PROGRAM = None

ERRORS = 'errors:\n- {type: cds, name: billing, code: PERMISSION_DENIED, message: "ask #payments"}\n'
# Envoy takes it, so it is served; a gRPC client does not.
NOT_FOR_GRPC = """
resources:
- "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: odd
  type: EDS
  lb_policy: MAGLEV
  eds_cluster_config: {eds_config: {ads: {}}}
"""
FOR_GRPC = """
resources:
- "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: odd
  type: EDS
  eds_cluster_config: {eds_config: {ads: {}}}
"""


def get(plane, path):
    status, body = plane.get(path)
    assert status == 200, (status, body)
    return json.loads(body)


def await_clients(plane, wanted, path="/api/v1/clients"):
    """As soon as `wanted` is true of the list."""
    end = time.monotonic() + PATIENCE
    while True:
        clients = get(plane, path)["clients"]
        if wanted(clients):
            return clients
        if time.monotonic() > end:
            raise AssertionError(f"not in time: {json.dumps(clients, indent=1)}")
        time.sleep(0.02)


def state_of(clients, name):
    states = [one["state"] for client in clients for one in client["resources"]
              if one["name"] == name]
    return states[0] if states else None


def drip(connections, is_over):
    while not is_over.wait(0.05):
        for one in connections:
            with contextlib.suppress(OSError):  # it was cut off
                one.sendall(b"x")


class ApiTest(unittest.TestCase):
    maxDiff = None

    def test_good_held_back_and_failed(self):
        files = {"web.yaml": service("web", "127.0.0.1:9001"), "errors.yaml": ERRORS,
                 "odd.yaml": FOR_GRPC}
        with ServeProcess(PROGRAM, files=files) as plane, \
                WatchProcess(PROGRAM, ["cds/web", "cds/odd", "cds/billing"],
                             bootstrap(plane.ads)) as watch:
            for _ in range(3):
                watch.next_event()
            clients = await_clients(plane, lambda all: all and all[0]["state"] == "failed"
                                    and all[0]["types"][0]["good"] == 2)
            self.assertEqual(len(clients), 1)
            client = clients[0]
            self.assertEqual(client["client"], "web-1")
            self.assertEqual(client["node"]["id"], "web-1")
            self.assertEqual(client["protocol"], "sotw")
            self.assertEqual([(one["type"], one["name"], one["state"], one["error"])
                              for one in client["resources"]],
                             [("cds", "billing", "failed",
                               {"code": "PERMISSION_DENIED", "message": "ask #payments"})])
            self.assertEqual(client["more_resources"], 0)
            self.assertEqual(client["events"][0]["event"], "connected")

            plane.write("odd.yaml", NOT_FOR_GRPC)
            clients = await_clients(plane, lambda all: state_of(all, "odd") == "held_back")
            odd = [one for one in clients[0]["resources"] if one["name"] == "odd"][0]
            self.assertNotEqual(odd["version"], odd["client_version"])
            self.assertEqual(odd["error"]["code"], "INVALID_ARGUMENT")
            self.assertIn("odd", odd["error"]["message"])
            self.assertRegex(odd["since"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertEqual(plane.metrics("holdfast_held_back_clients"), 1)

            # All of one client, the good ones too.
            for text in ("web-1", clients[0]["stream"]):
                whole = get(plane, f"/api/v1/clients?client={text}")["clients"]
                self.assertEqual([(one["name"], one["state"]) for one in whole[0]["resources"]],
                                 [("billing", "failed"), ("odd", "held_back"), ("web", "good")])
            self.assertEqual(get(plane, "/api/v1/clients?client=nobody")["clients"], [])

            resource = get(plane, "/api/v1/resources?type=cds&name=odd")["resources"][0]
            self.assertEqual(resource["clients"],
                             {"good": 0, "waiting": 0, "held_back": 1, "failed": 0})
            self.assertEqual(resource["version"], odd["version"])
            self.assertTrue(any("grpc" in line for line in resource["problems"]),
                            resource["problems"])

            errors = get(plane, "/api/v1/errors")
            self.assertEqual(errors["errors"],
                             [{"type": "cds", "name": "billing", "code": "PERMISSION_DENIED",
                               "message": "ask #payments", "origin": "configured",
                               "clients": ["web-1"], "more_clients": 0}])

            plane.write("odd.yaml", FOR_GRPC)
            await_clients(plane, lambda all: state_of(all, "odd") is None)
            self.assertEqual(plane.metrics("holdfast_held_back_clients"), 0)

    def test_waiting_without_an_answer(self):
        with ServeProcess(PROGRAM, "--tp3", "off",
                          files={"web.yaml": service("web", "127.0.0.1:9001")}) as plane, \
                WatchProcess(PROGRAM, ["eds/nowhere"], bootstrap(plane.ads)):
            clients = await_clients(plane, lambda all: state_of(all, "nowhere") == "waiting")
            self.assertEqual(clients[0]["state"], "waiting")
            self.assertNotIn("client_version", clients[0]["resources"][0])

    def test_a_name_that_is_missing(self):
        with ServeProcess(PROGRAM, files={"web.yaml": service("web", "127.0.0.1:9001")}) as plane, \
                WatchProcess(PROGRAM, ["cds/web", "eds/nowhere"], bootstrap(plane.ads)) as watch:
            watch.next_event()
            watch.next_event()
            errors = get(plane, "/api/v1/errors")["errors"]
            self.assertEqual([(one["name"], one["origin"], one["code"], one["clients"])
                              for one in errors],
                             [("nowhere", "missing", "NOT_FOUND", ["web-1"])])

    def test_resources_lead_somewhere(self):
        with ServeProcess(PROGRAM, files={"web.yaml": service("web", "127.0.0.1:9001")}) as plane:
            end = time.monotonic() + PATIENCE
            while (answer := get(plane, "/api/v1/resources"))["resources"] == []:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.02)
            self.assertEqual([(one["type"], one["name"]) for one in answer["resources"]],
                             [("cds", "web"), ("eds", "web"), ("lds", "web"), ("rds", "web")])
            self.assertEqual(answer["more_resources"], 0)
            self.assertNotIn("refers_to", answer["resources"][0])
            cluster = get(plane, "/api/v1/resources?type=cds&name=web")["resources"][0]
            self.assertEqual(cluster["refers_to"], [{"type": "eds", "name": "web"}])
            self.assertFalse(cluster["last_good"])
            endpoints = get(plane, "/api/v1/resources?type=eds&name=web")["resources"][0]
            self.assertEqual(endpoints["addresses"], ["127.0.0.1:9001"])
            self.assertEqual(get(plane, "/api/v1/resources?name=nowhere")["resources"], [])

    def test_last_good_and_invalid(self):
        with ServeProcess(PROGRAM, files={"odd.yaml": FOR_GRPC}) as plane:
            path = "/api/v1/resources?type=cds&name=odd"
            end = time.monotonic() + PATIENCE
            while get(plane, path)["resources"] == []:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.02)
            plane.write("odd.yaml", FOR_GRPC.replace("type: EDS", "typo: EDS") +
                        FOR_GRPC.replace("resources:\n", "").replace("odd", "new")
                        .replace("type: EDS", "typo: EDS"))
            while not (odd := get(plane, path)["resources"][0])["last_good"]:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.02)
            self.assertEqual(len(odd["problems"]), 1, odd)
            self.assertIn("odd.yaml:5:3: error: resources[0].typo", odd["problems"][0])
            errors = get(plane, "/api/v1/errors")
            self.assertEqual([(one["name"], one["code"], one["origin"], one["clients"])
                              for one in errors["errors"]],
                             [("new", "INTERNAL", "invalid", [])])
            self.assertGreaterEqual(len(errors["problems"]), 2)

    def test_slow_clients_hold_up_nobody(self):
        with ServeProcess(PROGRAM) as plane, contextlib.ExitStack() as held:
            slow = []
            for _ in range(48):
                one = held.enter_context(socket.create_connection(plane.admin.split(":")))
                one.sendall(b"GET /healthz HTTP/1.1\r\nX-Slow: ")
                slow.append(one)
            self.assertEqual(plane.get("/healthz"), (200, "ok\n"))
            is_over = threading.Event()
            dripping = threading.Thread(target=drip, args=(slow, is_over))
            dripping.start()
            plane.process.child.send_signal(signal.SIGTERM)
            self.assertEqual(plane.process.exit_code(), 0)
            is_over.set()
            dripping.join()

    def test_mistyped(self):
        with ServeProcess(PROGRAM) as plane:
            rows = [
                ("/api/v1/clients?cliet=web", 400,
                 'unknown parameter "cliet"; did you mean client?; there are client\n'),
                ("/api/v1/clients?client=a&client=b", 400,
                 'parameter "client" comes 2 times; give it once\n'),
                ("/api/v1/resources?type=csd", 400,
                 'type "csd" is unknown; did you mean cds?; there are lds, rds, cds, eds and full '
                 'names of types\n'),
                ("/api/v1/errors?type=cds", 400,
                 'unknown parameter "type"; there are none here\n'),
                ("/api/v1/client", 404,
                 '"/api/v1/client" is not there; did you mean /api/v1/clients?\nthere are '
                 '/healthz, /readyz, /metrics, /api/v1/clients, /api/v1/resources, '
                 '/api/v1/errors\n'),
            ]
            for path, status, body in rows:
                self.assertEqual(plane.get(path), (status, body), path)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
