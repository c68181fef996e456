"""An xDS server of foreign make (grpcio, xds-protos) that does what it is told, line by line.

    ads_server.py [--port N] [--cert FILE --key FILE]

Orders come on stdin and news goes to stdout, each one JSON object a line:

    {"do": "send", "stream": 1, "response": {"versionInfo": "7", "nonce": "n", "typeUrl": …}}
    {"do": "send_bytes", "stream": 1, "base64": "/////w=="}      what no server should send
    {"do": "close", "stream": 1, "code": "UNAVAILABLE", "message": "going away"}
    {"do": "stop_reading", "stream": 1}
    {"do": "refuse", "code": "UNAVAILABLE", "message": "full"}   every stream, also those to come
    {"news": "listening", "address": "127.0.0.1:40123"}          the first line
    {"news": "stream_opened", "stream": 1}
    {"news": "request", "stream": 1, "request": {"node": …, "resourceNames": ["pay"], …}}
    {"news": "stream_closed", "stream": 1}

Requests and responses are in proto3 JSON, so an Any has an "@type". It never speaks by itself. The
end of the input ends it at once, and so does a signal: kill it to see what its clients do.
State of the world only.
"""

import argparse
import base64
import json
import os
import queue
import sys
import threading
from concurrent import futures

import grpc
# Imported so that "@type" finds them.
from envoy.config.cluster.v3 import cluster_pb2  # noqa: F401
from envoy.config.endpoint.v3 import endpoint_pb2  # noqa: F401
from envoy.config.listener.v3 import listener_pb2  # noqa: F401
from envoy.config.route.v3 import route_pb2  # noqa: F401
from envoy.extensions.filters.http.router.v3 import router_pb2  # noqa: F401
from envoy.extensions.filters.network.http_connection_manager.v3 import (  # noqa: F401
    http_connection_manager_pb2)
from envoy.service.discovery.v3 import discovery_pb2
from google.protobuf import json_format

SERVICE = "envoy.service.discovery.v3.AggregatedDiscoveryService"
MOST_STREAMS = 64


class Output:
    """Whole lines, whichever thread writes them."""

    def __init__(self):
        self._lock = threading.Lock()

    def news(self, news, **more):
        line = json.dumps({"news": news, **more}) + "\n"
        with self._lock:
            sys.stdout.write(line)
            sys.stdout.flush()


class Stream:
    """One call: a queue of what to do next, and a thread that reads."""

    def __init__(self, number, requests, context, output):
        self.number = number
        self._requests, self._context, self._output = requests, context, output
        self.orders = queue.SimpleQueue()
        self._may_read = True
        context.add_callback(lambda: self.orders.put(None))

    def stop_reading(self):
        self._may_read = False

    def _read(self):
        try:
            for request in self._requests:
                self._output.news("request", stream=self.number,
                                  request=json_format.MessageToDict(request))
                if not self._may_read:
                    return
        except grpc.RpcError:
            pass  # The client is gone; the callback of the context says so.
        self.orders.put(None)

    def messages(self):
        """What the client is sent. Ends the call by returning or aborting."""
        threading.Thread(target=self._read, daemon=True).start()
        while (order := self.orders.get()) is not None:
            if isinstance(order, bytes):
                yield order
            else:
                self._context.abort(*order)


class Service:
    def __init__(self, output):
        self._output = output
        self._lock = threading.Lock()
        self.streams = {}
        self._refusal = None

    def refuse(self, *refusal):
        with self._lock:
            self._refusal = refusal
            for stream in self.streams.values():
                stream.orders.put(refusal)

    def _serve(self, requests, context):
        with self._lock:
            stream = Stream(len(self.streams) + 1, requests, context, self._output)
            self.streams[stream.number] = stream
            if self._refusal is not None:
                stream.orders.put(self._refusal)
        self._output.news("stream_opened", stream=stream.number)
        try:
            yield from stream.messages()
        finally:
            self._output.news("stream_closed", stream=stream.number)

    def handlers(self):
        method = grpc.stream_stream_rpc_method_handler(
            self._serve, request_deserializer=discovery_pb2.DiscoveryRequest.FromString,
            response_serializer=lambda message: message)
        return grpc.method_handlers_generic_handler(SERVICE, {"StreamAggregatedResources": method})


def obey(service, order):
    if order["do"] == "refuse":
        service.refuse(grpc.StatusCode[order["code"]], order["message"])
        return
    stream = service.streams[order["stream"]]
    if order["do"] == "send":
        response = json_format.ParseDict(order["response"], discovery_pb2.DiscoveryResponse())
        stream.orders.put(response.SerializeToString())
    elif order["do"] == "send_bytes":
        stream.orders.put(base64.b64decode(order["base64"]))
    elif order["do"] == "close":
        stream.orders.put((grpc.StatusCode[order["code"]], order["message"]))
    elif order["do"] == "stop_reading":
        stream.stop_reading()
    else:
        raise ValueError(f"unknown order {order['do']}")


def credentials(arguments):
    if not arguments.cert:
        return None
    with open(arguments.key, "rb") as key, open(arguments.cert, "rb") as cert:
        return grpc.ssl_server_credentials([(key.read(), cert.read())])


def start(arguments, service):
    """(the server, its address)."""
    server = grpc.server(
        futures.ThreadPoolExecutor(MOST_STREAMS),
        # Two servers on one port would each get half of the connections.
        options=[("grpc.so_reuseport", 0), ("grpc.max_send_message_length", -1),
                 ("grpc.max_receive_message_length", -1)])
    server.add_generic_rpc_handlers((service.handlers(),))
    address, secret = f"127.0.0.1:{arguments.port}", credentials(arguments)
    port = (server.add_secure_port(address, secret) if secret
            else server.add_insecure_port(address))
    server.start()
    return server, f"127.0.0.1:{port}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--cert")
    parser.add_argument("--key")
    output = Output()
    service = Service(output)
    server, address = start(parser.parse_args(), service)
    output.news("listening", address=address)
    for line in sys.stdin:
        obey(service, json.loads(line))
    del server
    os._exit(0)  # At once: its threads wait for clients that may never go.


if __name__ == "__main__":
    main()
