"""Calls over one connection of HTTP/2 that say nothing: to be written to a socket as it is.

    connection.sendall(silent_calls("127.0.0.1:18000", "/package.Service/Method", 3))
"""

import struct


def silent_calls(address, path, count):
    """The bytes of so many, each on a stream of its own."""
    def frame(kind, flags, stream, payload=b""):
        return (struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream)
                + payload)

    def header(name, value):
        # A literal, neither compressed nor indexed.
        return b"".join([b"\0", bytes([len(name)]), name.encode(), bytes([len(value)]),
                         value.encode()])

    settings, headers, end_headers = 4, 1, 4
    fields = {":method": "POST", ":scheme": "http", ":path": path, ":authority": address,
              "content-type": "application/grpc", "te": "trailers"}
    block = b"".join(header(*field) for field in fields.items())
    calls = [frame(headers, end_headers, 1 + 2 * i, block) for i in range(count)]
    return b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(settings, 0, 0) + b"".join(calls)
