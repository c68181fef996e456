"""A control plane, clients of it, and `holdfast ps` and `holdfast why` to look at them.

    class Ps(FleetCase):
        def test_it(self):
            self.plane.write("web.yaml", service("web", self.backend))
            ... self.run_holdfast("ps", "--server", self.plane.admin) ...
"""

import contextlib
import http.server
import json
import socket
import subprocess
import threading
import time
import unittest

from serve_process import ServeProcess, service
from watch_process import PATIENCE, WatchProcess, bootstrap, environment

REJECTED_CLUSTER = """resources:
- "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: pay
  type: STATIC
  connect_timeout: 1s
"""
GOOD_CLUSTER = """resources:
- "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: pay
  type: EDS
  connect_timeout: 1s
  eds_cluster_config: {eds_config: {ads: {}}}
"""
INVALID_CLUSTER = GOOD_CLUSTER.replace("connect_timeout", "connect_timeoutt")
TO_PAY = """resources:
- "@type": type.googleapis.com/envoy.config.listener.v3.Listener
  name: shop
  api_listener:
    api_listener:
      "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
      http_filters:
      - name: router
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
      route_config:
        name: shop
        virtual_hosts:
        - {name: shop, domains: ["*"], routes: [{match: {prefix: ""}, route: {cluster: pay}}]}
"""
ENDPOINTS = """resources:
- "@type": type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
  cluster_name: pay
  endpoints:
  - locality: {}
    load_balancing_weight: 1
    lb_endpoints: [{endpoint: {address: {socket_address: {address: %s, port_value: %s}}}}]
"""


def endpoints(address):
    return ENDPOINTS % tuple(address.rsplit(":", 1))


def free_port():
    """One that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def http_server(status, body=None):
    """Somebody else on an admin port; with a list, (status, body) one after the other, then the
    last."""
    answers = status if isinstance(status, list) else [(status, body)]

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            code, text = answers.pop(0) if len(answers) > 1 else answers[0]
            self.send_response(code)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def objects_in(out):
    """What an answer is about: the clients of `ps`, or the one thing that `why` was asked."""
    if not out:
        return []
    answer = json.loads(out)
    return answer.get("clients", [answer])


class FleetCase(unittest.TestCase):
    program = None

    def setUp(self):
        self.plane = ServeProcess(self.program, files={"web.yaml": service("web", "127.0.0.1:1")})
        self.addCleanup(self.plane.__exit__)

    def put_chain(self, address):
        """xds:///shop leads over cluster pay to this address."""
        self.plane.write("shop.yaml", TO_PAY)
        self.plane.write("pay.yaml", GOOD_CLUSTER)
        self.plane.write("endpoints.yaml", endpoints(address))

    def watch(self, *names, node="web-1", features=(), arguments=()):
        watch = WatchProcess(self.program, [*arguments, *names],
                             bootstrap(self.plane.ads, features, node))
        self.addCleanup(watch.__exit__)
        return watch

    def run_holdfast(self, *arguments, env=None, bootstrap_text=None):
        """(exit code, stdout, stderr)"""
        done = subprocess.run([self.program, *arguments], text=True, encoding="utf-8",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE,
                              env=environment(bootstrap_text, **(env or {})), check=False)
        return done.returncode, done.stdout, done.stderr

    def wait_for(self, condition, *arguments):
        """Runs it until its exit code and what it tells of are as wanted; that."""
        deadline = time.monotonic() + PATIENCE
        while True:
            code, out, err = self.run_holdfast(*arguments, "-o", "json")
            objects = objects_in(out)
            if condition(code, objects):
                return objects
            self.assertLess(time.monotonic(), deadline, (code, out, err, self.plane.talk()))
            time.sleep(0.05)

    def wait_for_states(self, states, *arguments):
        """Until `ps` shows these clients in these states: {"web-1": "good"}."""
        return self.wait_for(
            lambda _, clients: {one["client"]: one["state"] for one in clients} == states,
            "ps", *arguments)

    def expect_valid_json(self, text):
        """One document, as somebody checks it who knows nothing of us, and on one line."""
        subprocess.run(["python3", "-m", "json.tool"], input=text, text=True, check=True,
                       stdout=subprocess.DEVNULL, timeout=PATIENCE)
        self.assertEqual(text.count("\n"), 1)
