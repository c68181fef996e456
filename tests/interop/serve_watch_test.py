"""Our own client, `holdfast watch`, on our own control plane, `holdfast serve`.

    serve_watch_test.py HOLDFAST
"""

# ctest: interop.serve_watch
# R2.30 R2.31 R2.40 R1.40

import sys
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from serve_process import ServeProcess, service  # noqa: E402
from watch_process import WatchProcess, bootstrap  # noqa: E402

PROGRAM = None


class ServeWatch(unittest.TestCase):
    def start(self, *names, files=None, arguments=()):
        plane = ServeProcess(PROGRAM, *arguments, files=files)
        self.addCleanup(plane.__exit__)
        watch = WatchProcess(PROGRAM, names, bootstrap(plane.ads))
        self.addCleanup(watch.__exit__)
        return plane, watch

    def test_all_four_resources_of_a_service(self):
        names = ["lds/web", "rds/web", "cds/web", "eds/web"]
        _, watch = self.start(*names, files={"web.yaml": service("web", "127.0.0.1:9001")})
        seen = {f'{event["type"]}/{event["name"]}' for event in
                (watch.next_event() for _ in names) if event["event"] == "resource_changed"
                and "error" not in event}
        self.assertEqual(seen, set(names))

    def test_missing_then_there_then_gone(self):
        plane, watch = self.start("cds/pay", files={"web.yaml": service("web", "127.0.0.1:1")})
        event = watch.next_event()
        self.assertEqual((event["error"]["code"], event["reason"]), ("NOT_FOUND", "server_error"))
        self.assertIn('no cluster "pay" in the configuration', event["error"]["message"])
        plane.write("pay.yaml", service("pay", "127.0.0.1:2"))
        event = watch.next_event()
        self.assertNotIn("error", event)
        plane.remove("pay.yaml")
        event = watch.next_event()
        self.assertEqual((event["event"], event["error"]["code"]), ("ambient_error", "NOT_FOUND"))

    def test_an_invalid_resource_that_never_was_good(self):
        text = ('resources:\n- "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster\n'
                "  name: pay\n  lb_policyy: ROUND_ROBIN\n")
        plane, watch = self.start("cds/pay", files={"pay.yaml": text})
        event = watch.next_event()
        self.assertEqual((event["error"]["code"], event["reason"]), ("INTERNAL", "server_error"))
        self.assertIn("lb_policyy", event["error"]["message"])
        self.assertIn("pay.yaml:4:3", plane.get("/readyz")[1])

    def test_the_last_good_version_survives_a_restart(self):
        plane, watch = self.start("cds/web", files={"web.yaml": service("web", "127.0.0.1:9001")})
        version = watch.next_event()["version"]
        plane.write("web.yaml", "services: [")
        while "web.yaml" not in plane.get("/readyz")[1]:
            time.sleep(0.01)
        plane.kill()
        plane.start()
        with WatchProcess(PROGRAM, ["cds/web"], bootstrap(plane.ads)) as newcomer:
            event = newcomer.next_event()
            self.assertEqual(event.get("version"), version, event)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
