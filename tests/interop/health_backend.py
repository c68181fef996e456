"""A gRPC server that answers health checks and says who it is in the trailers: a backend to call.

    with HealthBackend("one") as backend: ... backend.address ...
"""

from concurrent import futures

import grpc
from grpc_health.v1 import health_pb2


class HealthBackend:
    def __init__(self, name):
        self._name = name
        self._server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
        check = grpc.unary_unary_rpc_method_handler(
            self._check, request_deserializer=health_pb2.HealthCheckRequest.FromString,
            response_serializer=health_pb2.HealthCheckResponse.SerializeToString)
        self._server.add_generic_rpc_handlers([
            grpc.method_handlers_generic_handler("grpc.health.v1.Health", {"Check": check})])
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def _check(self, _, context):
        context.set_trailing_metadata([("backend", self._name)])
        return health_pb2.HealthCheckResponse(status=health_pb2.HealthCheckResponse.SERVING)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.stop(None).wait()
