"""A call over HTTP/2 with nothing but a socket: its bytes are what a test says, also those that no
client library would send. Keeps to the flow control of the server.

    with RawCall("127.0.0.1:18000", "/package.Service/Method") as call:
        call.send(struct.pack(">BI", 0, 1000) + b"x" * 1000)
        code, message = call.end()
"""

import contextlib
import select
import socket
import struct
import time

PATIENCE = 60

# RFC 9113.
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _RST_STREAM, _SETTINGS, _PING, _GOAWAY, _WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
_END_STREAM, _END_HEADERS, _ACK = 1, 4, 1
_INITIAL_WINDOW_SIZE = 4
_MOST_FRAME = 16384
_STREAM = 1


def _frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def _header(name, value):
    """A literal, not compressed and not indexed (RFC 7541, 6.2.2); both shorter than 127 bytes."""
    return b"".join([b"\0", bytes([len(name)]), name.encode(), bytes([len(value)]), value.encode()])


def _literals(block):
    """The fields of a block whose names are written out, as in the first that gRPC writes."""
    fields, at = {}, 0

    def text():
        nonlocal at
        size, shift = block[at], 0
        at += 1
        if size == 127:
            while True:
                part = block[at]
                at += 1
                size += (part & 127) << shift
                shift += 7
                if part < 128:
                    break
        at += size
        return block[at - size:at].decode()

    while at < len(block):
        kind = block[at]
        at += 1
        if kind > 0x80:  # all of it is in a table: ":status: 200"
            continue
        if kind not in (0x00, 0x40):
            raise ValueError(f"no name at {at} of {block!r}")
        name = text()
        fields[name] = text()
    return fields


class RawCall(contextlib.AbstractContextManager):
    def __init__(self, address, path, **more_headers):
        host, port = address.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)), timeout=PATIENCE)
        self._received = b""
        self._end = None
        self._window = {0: 65535, _STREAM: 65535}
        self._initial_window = 65535
        headers = {":method": "POST", ":scheme": "http", ":path": path, ":authority": address,
                   "content-type": "application/grpc", "te": "trailers",
                   **{name.replace("_", "-"): value for name, value in more_headers.items()}}
        block = b"".join(_header(*line) for line in headers.items())
        self._socket.sendall(_PREFACE + _frame(_SETTINGS, 0, 0)
                             + _frame(_HEADERS, _END_HEADERS, _STREAM, block))

    def __exit__(self, *_):
        self._socket.close()

    def send(self, data):
        """Waits for the server to make room. Whether it took all of it; else it ended the call."""
        left = memoryview(data)
        while left and self._end is None:
            self._read(wait=min(self._window.values()) <= 0)
            size = min(len(left), _MOST_FRAME, *self._window.values())
            if size <= 0 or self._end is not None:
                continue
            self._socket.sendall(_frame(_DATA, 0, _STREAM, bytes(left[:size])))
            left = left[size:]
            for stream in self._window:
                self._window[stream] -= size
        return not left

    def end(self):
        """Code and message of the status; or None and why there is none."""
        while self._end is None:
            self._read(wait=True)
        return self._end

    def _read(self, wait):
        """What has come; at least something, if told to wait."""
        deadline = time.monotonic() + PATIENCE
        while select.select([self._socket], [], [],
                            max(deadline - time.monotonic(), 0) if wait else 0)[0]:
            part = self._socket.recv(65536)
            if not part:
                self._end = self._end or (None, "the connection is closed")
                return
            self._received += part
            while len(self._received) >= 9:
                size = int.from_bytes(self._received[:3], "big")
                if len(self._received) < 9 + size:
                    break
                kind, flags, stream = struct.unpack(">BBI", self._received[3:9])
                payload = self._received[9:9 + size]
                self._received = self._received[9 + size:]
                if self._end is None:
                    self._take(kind, flags, stream, payload)
            wait = False
        if wait:
            raise TimeoutError("the server says nothing")

    def _take(self, kind, flags, stream, payload):
        if kind == _WINDOW_UPDATE:
            self._window[stream] += int.from_bytes(payload, "big")
        elif kind == _SETTINGS and not flags & _ACK:
            for at in range(0, len(payload), 6):
                name, value = struct.unpack(">HI", payload[at:at + 6])
                if name == _INITIAL_WINDOW_SIZE:
                    self._window[_STREAM] += value - self._initial_window
                    self._initial_window = value
            self._socket.sendall(_frame(_SETTINGS, _ACK, 0))
        elif kind == _PING and not flags & _ACK:
            self._socket.sendall(_frame(_PING, _ACK, 0, payload))
        elif kind == _HEADERS and flags & _END_STREAM:
            fields = _literals(payload)
            self._end = int(fields["grpc-status"]), fields.get("grpc-message", "")
        elif kind == _RST_STREAM:
            self._end = None, f"reset with {int.from_bytes(payload, 'big')}"
        elif kind == _GOAWAY:
            self._end = None, f"goaway: {payload[8:].decode('latin-1')}"
