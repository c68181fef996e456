"""How long `holdfast watch` waits for a foreign server that stays silent, with nothing shortened,
and what `holdfast why` and `holdfast ps` make of it.

    watch_timers_test.py HOLDFAST
"""

# ctest: interop.watch_timers
# R4.01 R4.21 R3-T08a R3-T08b

import concurrent.futures
import json
import sys
import time
import unittest

from foreign_server import ForeignServer
from fleet_case import FleetCase
from watch_process import WatchProcess, bootstrap

LATE = 2  # what a loaded machine may add


class Silence(FleetCase):
    def setUp(self):
        pass

    def wait_for_silence(self, features):
        """(seconds from the request on the wire to the news, the news, what `why` says in json and
        `ps` in a table)."""
        server = ForeignServer()
        text = bootstrap(server.address, features)
        try:
            with WatchProcess(self.program, ["cds/none", "--admin", "127.0.0.1:0"], text) as watch:
                target = ("--target", watch.admin_address())
                server.next_request()
                started = time.monotonic()
                event = watch.next_event()
                spent = time.monotonic() - started
                why = self.run_holdfast("why", "cds/none", *target, "-o", "json",
                                        bootstrap_text=text)
                return spent, event, why, self.run_holdfast("ps", *target)
        finally:
            server.close()

    def expect(self, result, code, seconds):
        spent, event, _, _ = result
        print(f"silence became {code} after {spent:.2f} s", flush=True)
        self.assertEqual((event["event"], event["error"]["code"], event["reason"]),
                         ("resource_changed", code, "timeout"), event)
        # The clock starts a moment before we see the request.
        self.assertGreater(spent, seconds - 0.2)
        self.assertLess(spent, seconds + LATE)

    def expect_why(self, result, cause, broken, said, next_step):
        _, event, (code, out, err), (ps_code, table, ps_err) = result
        self.assertEqual((code, err), (79, ""))
        answer = json.loads(out)
        self.assertEqual((answer["cause"], answer["summary"]), (cause, "cluster none: " + broken))
        self.assertEqual((answer["said_by"], answer["said"]),
                         ("client web-1", event["error"]["message"]))
        self.assertIn(said, answer["said"])
        self.assertEqual((answer["broken"]["state"], answer["in_use"]),
                         ("failed", "nothing: calls that need it fail, or wait"))
        self.assertEqual((answer["next"], answer["also"]), (next_step, []))
        self.assertEqual((ps_code, ps_err), (79, ""))
        reason = "does not exist" if cause == "does_not_exist" else cause
        self.assertRegex(table, rf"\nweb-1 +✖ failed .* cds 0/1 +cds/none: {reason}: ")

    def test_both_timers_at_once(self):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            plain = pool.submit(self.wait_for_silence, [])
            transient = pool.submit(self.wait_for_silence, ["resource_timer_is_transient_error"])
            self.expect(plain.result(), "NOT_FOUND", 15)
            self.expect(transient.result(), "UNAVAILABLE", 30)
        self.expect_why(plain.result(), "does_not_exist", "it does not exist",
                        "did not send it within 15s",
                        "add cluster none to the configuration, or correct the name where it "
                        "is asked for")
        self.expect_why(transient.result(), "timeout", "no answer as long as the client waits",
                        "did not send it within 30s",
                        "see whether the control plane has it: holdfast why cds/none --server "
                        "127.0.0.1:18080; if it has, it is too slow or forgot this client: see its "
                        "log")


if __name__ == "__main__":
    FleetCase.program = sys.argv.pop(1)
    unittest.main()
