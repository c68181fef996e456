"""What a client may ask of `holdfast serve`: beyond a limit it reads which one, and nobody else
notices.

    serve_limits_test.py HOLDFAST
"""

# ctest: end_to_end.serve_limits

import contextlib
import json
import os
import random
import resource
import socket
import struct
import sys
import time
import unittest
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from raw_call import RawCall  # noqa: E402
from serve_process import ServeProcess, service  # noqa: E402
from silent_calls import silent_calls  # noqa: E402
from watch_process import PATIENCE, WatchProcess, bootstrap  # noqa: E402

PROGRAM = None

ADS = "/envoy.service.discovery.v3.AggregatedDiscoveryService/"
INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNIMPLEMENTED = 3, 8, 12
MEGABYTE = 1 << 20
# After some hundred hostile clients: the allocators take some time to settle. If something of each
# stayed, it would be a multiple.
MOST_GROWTH = 32 * MEGABYTE


def framed(message, is_compressed=False):
    """As gRPC has it on the wire."""
    return struct.pack(">BI", is_compressed, len(message)) + message


def varint(number):
    return (bytes([number & 127 | 128]) + varint(number >> 7)) if number > 127 else bytes([number])


def field(number, value):
    return varint(number << 3 | 2) + varint(len(value)) + value


def request(type_name, names):
    """A DiscoveryRequest for resources of a type."""
    return field(4, b"type.googleapis.com/" + type_name.encode()) + b"".join(
        field(3, name.encode()) for name in names)


def bomb(size, bits):
    """Zeroes, a thousandth as long."""
    squeezed = zlib.compressobj(9, zlib.DEFLATED, bits)
    return b"".join([*(squeezed.compress(bytes(MEGABYTE)) for _ in range(size // MEGABYTE)),
                     squeezed.flush()])


class Limits(unittest.TestCase):
    def serve(self, *arguments):
        serve = ServeProcess(PROGRAM, *arguments, files={"web.yaml": service("web", "127.0.0.1:1")})
        self.addCleanup(serve.__exit__)
        return serve

    def watch(self, serve, *names, node="web-1"):
        watch = WatchProcess(PROGRAM, names, bootstrap(serve.ads, node=node))
        self.addCleanup(watch.__exit__)
        return watch

    def expect_served(self, serve):
        self.assertIn("version", self.watch(serve, "cds/web").next_event())

    def heard_by(self, serve, *names, **more):
        """What a client reads that goes beyond a limit."""
        watch = self.watch(serve, *names, **more)
        while "RESOURCE_EXHAUSTED" not in (text := json.dumps(watch.next_event())):
            pass
        return text

    def memory(self, serve, which):
        status = Path(f"/proc/{serve.process.child.pid}/status").read_text(encoding="utf-8")
        return next(int(line.split()[1]) * 1024 for line in status.splitlines()
                    if line.startswith(f"{which}:"))

    def peak(self, serve):
        """The most memory that the process ever had."""
        return self.memory(serve, "VmHWM")

    def expect_no_growth(self, serve, once, times=300, warm_up=50):
        """What is done `times` times leaves nothing behind."""
        self.expect_served(serve)
        for _ in range(warm_up):
            once()
        before = self.memory(serve, "VmRSS")
        for _ in range(times):
            once()
        # What is on its way out when the last one is gone needs a moment.
        end = time.monotonic() + PATIENCE
        while ((growth := self.memory(serve, "VmRSS") - before) > MOST_GROWTH
               and time.monotonic() < end):
            time.sleep(0.5)
        print(f"{self.id().split('.')[-1]}: {growth >> 10} KiB after {times} times",
              file=sys.stderr)
        self.assertLess(growth, MOST_GROWTH)
        self.expect_served(serve)

    def refused(self, serve, message):
        """How a stream ends that begins with this message."""
        with RawCall(serve.ads, ADS + "StreamAggregatedResources") as call:
            call.send(framed(message))
            return call.end()

    def expect_closed(self, serve, garbage):
        """The server has something against such bytes, and says no more on this connection."""
        host, port = serve.ads.split(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
            with contextlib.suppress(ConnectionError):
                connection.sendall(garbage)
                while connection.recv(65536):
                    pass

    def test_names(self):
        serve = self.serve("--max-names", "2")
        self.assertIn("this stream asks for more than 2 names of type "
                      "envoy.config.cluster.v3.Cluster (--max-names)",
                      self.heard_by(serve, "cds/a", "cds/b", "cds/c"))
        self.expect_served(serve)

    def test_bytes_of_names(self):
        # Without answers: they would have to be read before the end is.
        serve = self.serve("--tp3", "off")
        self.expect_served(serve)
        before = self.peak(serve)
        with RawCall(serve.ads, ADS + "StreamAggregatedResources") as call:
            for at in range(4):
                names = (f"{i}-".ljust(1000, "x") for i in range(10_000))
                self.assertTrue(call.send(framed(request(f"acme.Type{at}", names))))
            self.assertEqual(call.end(), (RESOURCE_EXHAUSTED,
                                          "the names that this stream asks for have 40000000 bytes,"
                                          " more than 33554432 (a limit without an option); ask for"
                                          " fewer on each stream"))
        # Ten times the limit leaves room for the sanitizer, whose blocks are larger.
        self.assertLess(self.peak(serve) - before, 10 * 32 * MEGABYTE)
        self.expect_served(serve)

    def test_node(self):
        serve = self.serve("--max-node-bytes", "1000")
        self.assertIn("discovery request has more than 1000 bytes of node (--max-node-bytes)",
                      self.heard_by(serve, "cds/web", node="n" * 1001))
        self.expect_served(serve)

    def test_streams_of_a_connection(self):
        serve = self.serve("--max-streams-per-connection", "2")
        host, port = serve.ads.split(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
            connection.sendall(silent_calls(serve.ads, ADS + "StreamAggregatedResources", 3))
            got = b""
            while (b"this connection has 2 streams already (--max-streams-per-connection); close "
                   b"one, or open another connection" not in got):
                part = connection.recv(65536)
                self.assertNotEqual(part, b"", got)
                got += part
        self.expect_served(serve)

    def test_more_connections_than_files_may_be_open_at_first(self):
        # gRPC would never accept anybody again.
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (80, hard))
        serve = self.serve()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        host, port = serve.ads.split(":")
        with contextlib.ExitStack() as connections:
            for _ in range(150):
                connection = socket.create_connection((host, int(port)), timeout=PATIENCE)
                connections.enter_context(connection)
                connection.sendall(silent_calls(serve.ads, ADS + "StreamAggregatedResources", 1))
                self.assertNotEqual(connection.recv(1), b"")
            self.expect_served(serve)

    def test_a_message(self):
        serve = self.serve("--max-message-bytes", "1000")
        self.assertIn("bytes, more than 1000 (--max-message-bytes)",
                      self.heard_by(serve, "cds/" + "w" * 1001))
        for method, noun in (("StreamAggregatedResources", "discovery request"),
                             ("DeltaAggregatedResources", "delta discovery request")):
            with RawCall(serve.ads, ADS + method) as call:
                call.send(framed(b"x" * 1001))
                self.assertEqual(call.end(),
                                 (RESOURCE_EXHAUSTED, f"{noun} has 1001 bytes, more than 1000 "
                                                      "(--max-message-bytes)"))
        self.expect_served(serve)

    def test_a_message_that_is_refused_is_neither_copied_nor_kept(self):
        serve = self.serve("--max-message-bytes", "1000")
        self.expect_served(serve)
        before, size = self.peak(serve), 64 * MEGABYTE
        for _ in range(3):
            with RawCall(serve.ads, ADS + "StreamAggregatedResources") as call:
                self.assertTrue(call.send(framed(bytes(size))))
                self.assertEqual(call.end(),
                                 (RESOURCE_EXHAUSTED, f"discovery request has {size} bytes, more "
                                                      "than 1000 (--max-message-bytes)"))
        # gRPC has all of it before anybody can look at it; nothing comes on top.
        self.assertLess(self.peak(serve) - before, size + 32 * MEGABYTE)
        self.expect_served(serve)

    def test_garbage_in_messages_leaves_nothing(self):
        serve = self.serve()
        dice = random.Random(7)

        def once():
            # Never a message: a field cannot have the number 0.
            self.assertEqual(self.refused(serve, b"\0" + dice.randbytes(4 * 65536))[0],
                             INVALID_ARGUMENT)
        self.expect_no_growth(serve, once)

    def test_long_node_ids_leave_nothing(self):
        serve = self.serve()
        message = field(2, field(1, b"n" * MEGABYTE)) + request("acme.Type", [])

        def once():
            self.assertEqual(self.refused(serve, message),
                             (RESOURCE_EXHAUSTED, "discovery request has more than 65536 bytes of "
                                                  "node (--max-node-bytes)"))
        self.expect_no_growth(serve, once, times=200, warm_up=20)

    def test_many_names_leave_nothing(self):
        serve = self.serve()
        message = request("acme.Type", (f"name-{i}" for i in range(100_000)))

        def once():
            self.assertEqual(self.refused(serve, message),
                             (RESOURCE_EXHAUSTED, "this stream asks for more than 50000 names of "
                                                  "type acme.Type (--max-names)"))
        self.expect_no_growth(serve, once, times=100, warm_up=10)

    def test_refused_streams_leave_nothing(self):
        serve = self.serve("--max-streams-per-connection", "2")
        host, port = serve.ads.split(":")
        calls = silent_calls(serve.ads, ADS + "StreamAggregatedResources", 20)

        def once():
            with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
                connection.sendall(calls)
                # The text may be named by its place in a table from the second time on.
                got = b""
                while b"this connection has 2 streams already" not in got:
                    part = connection.recv(65536)
                    self.assertNotEqual(part, b"", got)
                    got += part
        self.expect_no_growth(serve, once, warm_up=150)

    def test_garbage_in_place_of_http_closes_the_connection(self):
        serve = self.serve()
        dice = random.Random(7)
        preface = silent_calls(serve.ads, ADS + "StreamAggregatedResources", 0)
        kinds = [b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", bytes(4096), b"\xff" * 4096,
                 b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + dice.randbytes(509)]

        def once():
            for garbage in (*kinds, dice.randbytes(4096), preface + b"\xff" * 4096):
                self.expect_closed(serve, garbage)  # else it would wait, and time out
        self.expect_no_growth(serve, once)

    def test_what_is_compressed_is_not_inflated(self):
        serve = self.serve()
        self.expect_served(serve)
        before = self.peak(serve)
        for encoding, bits in (("gzip", 31), ("deflate", 15)):
            small = bomb(256 * MEGABYTE, bits)
            self.assertLess(len(small), MEGABYTE)
            with RawCall(serve.ads, ADS + "StreamAggregatedResources",
                         grpc_encoding=encoding) as call:
                call.send(framed(small, is_compressed=True))
                self.assertEqual(call.end(), (UNIMPLEMENTED,
                                              f"Compression algorithm '{encoding}' is disabled."))
        self.assertLess(self.peak(serve) - before, 32 * MEGABYTE)
        self.expect_served(serve)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    # The address sanitizer would keep what was freed, and memory would say nothing.
    os.environ["ASAN_OPTIONS"] = ":".join([
        os.environ.get("ASAN_OPTIONS", ""), "quarantine_size_mb=0",
        "thread_local_quarantine_size_kb=0", "allocator_release_to_os_interval_ms=200"])
    unittest.main()
