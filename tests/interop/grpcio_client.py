"""A process with grpcio's own xDS client: calls what it is told to, and serves its CSDS.

    grpcio_client.py        # first line on stdout: {"csds": "127.0.0.1:PORT"}

Then, for each line `call TARGET SECONDS` on stdin, a line of JSON: code, text, backend, seconds.
Runs on its own because gRPC reads the bootstrap once a process.
"""

import json
import sys
import time
from concurrent import futures

import grpc
import grpc_csds
from grpc_health.v1 import health_pb2


def check(channels, target, timeout):
    if target not in channels:
        channels[target] = grpc.insecure_channel(target)
    method = channels[target].unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString)
    start = time.monotonic()
    try:
        _, call = method.with_call(health_pb2.HealthCheckRequest(), timeout=timeout)
        trailers = dict(call.trailing_metadata() or ())
        result = {"code": "OK", "text": "", "backend": trailers.get("backend")}
    except grpc.RpcError as error:
        result = {"code": error.code().name, "text": error.details(), "backend": None}
    return {**result, "seconds": time.monotonic() - start}


def main():
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=2))
    grpc_csds.add_csds_servicer(server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(json.dumps({"csds": f"127.0.0.1:{port}"}), flush=True)
    channels = {}
    for line in sys.stdin:
        _, target, timeout = line.split()
        print(json.dumps(check(channels, target, float(timeout))), flush=True)
    server.stop(None)


if __name__ == "__main__":
    main()
