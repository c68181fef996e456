"""ads_server.py as a test drives it, and responses for it to send, in proto3 JSON."""

import base64
import json
import socket
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from watch_process import Process  # noqa: E402

CLUSTER = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
LISTENER = "type.googleapis.com/envoy.config.listener.v3.Listener"
CONNECTION_MANAGER = ("type.googleapis.com/envoy.extensions.filters.network."
                      "http_connection_manager.v3.HttpConnectionManager")
ROUTER = "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"


def cluster(name, **more):
    return {"@type": CLUSTER, "name": name, "type": "EDS",
            "edsClusterConfig": {"edsConfig": {"ads": {}}}, **more}


def bad_cluster(name):
    """It does not say where its endpoints come from."""
    return {"@type": CLUSTER, "name": name, "type": "EDS"}


def listener(name, to_cluster):
    """All calls to it go to this cluster."""
    route = {"match": {"prefix": ""}, "route": {"cluster": to_cluster}}
    host = {"name": name, "domains": ["*"], "routes": [route]}
    manager = {"@type": CONNECTION_MANAGER, "routeConfig": {"name": name, "virtualHosts": [host]},
               "httpFilters": [{"name": "router", "typedConfig": {"@type": ROUTER}}]}
    return {"@type": LISTENER, "name": name, "apiListener": {"apiListener": manager}}


def error(name, code, message):
    return {"resourceName": {"name": name}, "errorDetail": {"code": code, "message": message}}


def clusters(version, *resources, errors=(), type_url=CLUSTER):
    return {"versionInfo": version, "nonce": f"nonce-{version}", "typeUrl": type_url,
            "resources": list(resources), "resourceErrors": list(errors)}


def listeners(version, *resources):
    return clusters(version, *resources, type_url=LISTENER)


class ForeignServer:
    """On a port that stays its own when it is killed: bound but not listening (SO_REUSEADDR)."""

    def __init__(self):
        self._reserved = socket.socket()
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._reserved.bind(("127.0.0.1", 0))
        self._process = None
        self.start()

    @property
    def address(self):
        return f"127.0.0.1:{self._reserved.getsockname()[1]}"

    def start(self):
        port = str(self._reserved.getsockname()[1])
        self._process = Process([sys.executable, str(HERE / "ads_server.py"), "--port", port])
        self.next("listening")

    def kill(self):
        self._process.__exit__()

    def close(self):
        self.kill()
        self._reserved.close()

    def next(self, news, **wanted):
        """The next news of that kind with these members; what comes before is passed over."""
        while (line := self._process.lines.next()) is not None:
            item = json.loads(line)
            if item["news"] == news and all(item.get(key) == value
                                            for key, value in wanted.items()):
                return item
        raise EOFError("the foreign server ended")

    def next_request(self, wanted=lambda request: True):
        """(stream, request) of the next request that is wanted."""
        while True:
            item = self.next("request")
            if wanted(item["request"]):
                return item["stream"], item["request"]

    def _order(self, do, **more):
        self._process.tell(json.dumps({"do": do, **more}))

    def send(self, stream, response):
        self._order("send", stream=stream, response=response)

    def send_bytes(self, stream, message):
        self._order("send_bytes", stream=stream, base64=base64.b64encode(message).decode())

    def close_stream(self, stream, code, message):
        self._order("close", stream=stream, code=code, message=message)

    def refuse_streams(self, code, message):
        """Ends all of them, and from now on each at once."""
        self._order("refuse", code=code, message=message)
