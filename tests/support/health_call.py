"""Asks grpc.health.v1.Health of a server without TLS, with nothing but a socket, so that tests need
no package for it.

    health_of("127.0.0.1:18000") == SERVING
"""

import socket
import struct

PATIENCE = 30.0

SERVING = 1
NOT_SERVING = 2

# RFC 9113.
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _SETTINGS, _GOAWAY = 0, 1, 4, 7
_END_STREAM, _END_HEADERS = 1, 4


def _frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def _header(name, value):
    """A literal, not compressed and not indexed (RFC 7541, 6.2.2); both shorter than 127 bytes."""
    return b"".join([b"\0", bytes([len(name)]), name.encode(), bytes([len(value)]), value.encode()])


def _read(connection, size):
    got = b""
    while len(got) < size:
        part = connection.recv(size - len(got))
        if not part:
            raise EOFError("the server closed the connection")
        got += part
    return got


def health_of(address, service=""):
    """The number of the status. KeyError for a service that is not known."""
    host, port = address.rsplit(":", 1)
    message = bytes([0x0a, len(service)]) + service.encode() if service else b""
    headers = {":method": "POST", ":scheme": "http", ":path": "/grpc.health.v1.Health/Check",
               ":authority": address, "content-type": "application/grpc", "te": "trailers"}
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        connection.sendall(
            _PREFACE + _frame(_SETTINGS, 0, 0)
            + _frame(_HEADERS, _END_HEADERS, 1, b"".join(_header(*line) for line in headers.items()))
            + _frame(_DATA, _END_STREAM, 1, struct.pack(">BI", 0, len(message)) + message))
        while True:
            head = _read(connection, 9)
            size, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
            payload = _read(connection, size)
            if kind == _DATA and payload:
                # A length of five bytes, then field 1.
                return payload[6] if len(payload) == 7 and payload[5] == 0x08 else 0
            if kind == _GOAWAY:
                raise EOFError(f"the server says {payload[8:]!r}")
            if kind == _HEADERS and flags & _END_STREAM:
                raise KeyError(service)
