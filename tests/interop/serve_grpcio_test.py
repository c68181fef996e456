"""The newest grpcio as a client of `holdfast serve`.

    serve_grpcio_test.py HOLDFAST
"""

# ctest: interop.serve_grpcio
# Server errors (TP3) read by a foreign client: R2.01 R2.02 R2.03 R2.30 R2.34 R2.40.

import json
import sys
import time
import unittest
from pathlib import Path

import grpc
from envoy.service.status.v3 import csds_pb2

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from health_backend import HealthBackend  # noqa: E402
from serve_process import ServeProcess, service  # noqa: E402
from watch_process import PATIENCE, Process, bootstrap, environment  # noqa: E402

PROGRAM = None
RECEIVED_ERROR = 5  # envoy.admin.v3.ClientResourceStatus


class GrpcioClient:
    def __init__(self, ads, features=()):
        env = environment(bootstrap(ads, features),
                          GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING="true")
        self.process = Process([sys.executable, str(HERE / "grpcio_client.py")], env=env)
        self.csds = json.loads(self.process.lines.next())["csds"]

    def call(self, target, seconds=PATIENCE):
        self.process.tell(f"call {target} {seconds}")
        return json.loads(self.process.lines.next(2 * PATIENCE))

    def entries(self):
        """CSDS: {(type, name): entry}."""
        with grpc.insecure_channel(self.csds) as channel:
            fetch = channel.unary_unary(
                "/envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus",
                request_serializer=csds_pb2.ClientStatusRequest.SerializeToString,
                response_deserializer=csds_pb2.ClientStatusResponse.FromString)
            answer = fetch(csds_pb2.ClientStatusRequest(), timeout=PATIENCE)
        return {(one.type_url.rsplit(".", 1)[1], one.name): one
                for config in answer.config for one in config.generic_xds_configs}


class ServeGrpcio(unittest.TestCase):
    def start(self, *arguments, files=None):
        plane = ServeProcess(PROGRAM, *arguments, files=files)
        self.addCleanup(plane.__exit__)
        client = GrpcioClient(plane.ads)
        self.addCleanup(client.process.__exit__)
        return plane, client

    def backend(self, name):
        backend = HealthBackend(name)
        self.addCleanup(backend.__exit__)
        return backend

    def call_until(self, client, target, condition):
        """The first result as wanted; the last one if none came in time."""
        end = time.monotonic() + PATIENCE
        while True:
            result = client.call(target, 5)
            if condition(result) or time.monotonic() > end:
                return result

    def test_a_service_in_four_lines_is_called(self):
        one, two = self.backend("one"), self.backend("two")
        plane, client = self.start(files={"web.yaml": service("web", one.address)})
        result = client.call("xds:///web")
        self.assertEqual((result["code"], result["backend"]), ("OK", "one"), result)
        plane.write("web.yaml", service("web", two.address))
        result = self.call_until(client, "xds:///web", lambda call: call["backend"] == "two")
        self.assertEqual(result["backend"], "two", result)

    def test_a_missing_name_fails_in_milliseconds_with_our_text(self):
        one = self.backend("one")
        plane, client = self.start(files={"web.yaml": service("web", one.address)})
        self.assertEqual(client.call("xds:///web")["code"], "OK")
        result = client.call("xds:///nowhere")
        print(f"a missing listener: {result['code']} after {1000 * result['seconds']:.1f} ms",
              file=sys.stderr)
        self.assertEqual(result["code"], "UNAVAILABLE", result)
        self.assertIn('no listener "nowhere" in the configuration', result["text"])
        self.assertLess(result["seconds"], 1)  # it takes milliseconds; silence, 15 s
        entry = client.entries()[("Listener", "nowhere")]
        self.assertEqual(entry.client_status, RECEIVED_ERROR, entry)
        self.assertIn('no listener "nowhere"', entry.error_state.details)
        # It appears, and the client has it at once.
        plane.write("nowhere.yaml", service("nowhere", one.address))
        result = self.call_until(client, "xds:///nowhere", lambda call: call["code"] == "OK")
        self.assertEqual(result["code"], "OK", result)

    def test_denied_says_why(self):
        one = self.backend("one")
        text = ("errors:\n- {type: lds, name: billing, code: PERMISSION_DENIED, "
                'message: "team web may not read billing; ask #payments"}\n')
        plane, client = self.start(files={"web.yaml": service("web", one.address),
                                          "billing.yaml": text})
        result = client.call("xds:///billing")
        self.assertEqual(result["code"], "UNAVAILABLE", result)
        self.assertIn("team web may not read billing; ask #payments", result["text"])
        self.assertEqual(plane.metrics("holdfast_tp3_errors_sent_total"), 1)

    def test_the_last_good_version_stays_when_a_file_breaks(self):
        one, two = self.backend("one"), self.backend("two")
        plane, client = self.start(files={"web.yaml": service("web", one.address),
                                          "pay.yaml": service("pay", two.address)})
        self.assertEqual(client.call("xds:///web")["backend"], "one")
        plane.write("web.yaml", "services:\n- name: [\n")
        # Everything else flows, and a client that starts now has the last good version too.
        plane.write("pay.yaml", service("pay", one.address))
        result = self.call_until(client, "xds:///pay", lambda call: call["backend"] == "one")
        self.assertEqual(result["backend"], "one", result)
        self.assertEqual(client.call("xds:///web")["backend"], "one")
        newcomer = GrpcioClient(plane.ads)
        self.addCleanup(newcomer.process.__exit__)
        self.assertEqual(newcomer.call("xds:///web")["backend"], "one")
        status, text = plane.get("/readyz")
        self.assertEqual(status, 200, text)
        self.assertIn("web.yaml:3", text)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
