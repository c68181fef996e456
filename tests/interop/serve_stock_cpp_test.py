"""Debian's own gRPC C++ as a client of `holdfast serve`.

    serve_stock_cpp_test.py HOLDFAST STOCK_CLIENT
"""

# ctest: interop.serve_stock_cpp
# A client that has never heard of TP3: R2.34.

import json
import sys
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from health_backend import HealthBackend  # noqa: E402
from serve_process import ServeProcess, service  # noqa: E402
from watch_process import PATIENCE, Process, bootstrap, environment  # noqa: E402

PROGRAM = None
STOCK = None


class ServeStockCpp(unittest.TestCase):
    def start(self, files):
        plane = ServeProcess(PROGRAM, files=files)
        self.addCleanup(plane.__exit__)
        client = Process([STOCK], env=environment(bootstrap(plane.ads)))
        self.addCleanup(client.__exit__)
        return plane, client

    def backend(self, name):
        backend = HealthBackend(name)
        self.addCleanup(backend.__exit__)
        return backend

    @staticmethod
    def call(client, target, seconds=PATIENCE):
        client.tell(f"call {target} {seconds}")
        return json.loads(client.lines.next(2 * PATIENCE))

    def call_until(self, client, target, condition):
        end = time.monotonic() + PATIENCE
        while True:
            result = self.call(client, target, 5)
            if condition(result) or time.monotonic() > end:
                return result

    def test_calls_and_a_change_of_endpoints(self):
        one, two = self.backend("one"), self.backend("two")
        plane, client = self.start({"web.yaml": service("web", one.address)})
        result = self.call(client, "xds:///web")
        self.assertEqual((result["code"], result["peer"]), (0, f"ipv4:{one.address}"), result)
        plane.write("web.yaml", service("web", two.address))
        wanted = f"ipv4:{two.address}"
        result = self.call_until(client, "xds:///web", lambda call: call["peer"] == wanted)
        self.assertEqual(result["peer"], wanted, result)
        # Nothing was rejected, and no call had to fail for it.
        self.assertEqual(plane.metrics("holdfast_nacks_total"), 0)

    def test_errors_of_other_names_disturb_nothing(self):
        one = self.backend("one")
        plane, client = self.start({"web.yaml": service("web", one.address)})
        self.assertEqual(self.call(client, "xds:///web")["code"], 0)
        self.assertNotEqual(self.call(client, "xds:///nowhere", 1)["code"], 0)
        self.assertGreater(plane.metrics("holdfast_tp3_errors_sent_total"), 0)
        for _ in range(20):
            self.assertEqual(self.call(client, "xds:///web")["code"], 0)
        self.assertEqual(plane.metrics("holdfast_nacks_total"), 0)


if __name__ == "__main__":
    PROGRAM, STOCK = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
