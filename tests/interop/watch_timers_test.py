"""How long `holdfast watch` waits for a foreign server that stays silent, with nothing shortened.

    watch_timers_test.py HOLDFAST
"""

# ctest: interop.watch_timers
# R4.01 R4.21 R3-T08a R3-T08b

import concurrent.futures
import sys
import time
import unittest

from foreign_server import ForeignServer
from watch_process import WatchProcess, bootstrap

PROGRAM = None
LATE = 2  # what a loaded machine may add


def wait_for_silence(features):
    """(seconds from the request on the wire to the news, the news)."""
    server = ForeignServer()
    try:
        with WatchProcess(PROGRAM, ["cds/none"], bootstrap(server.address, features)) as watch:
            server.next_request()
            started = time.monotonic()
            event = watch.next_event()
            return time.monotonic() - started, event
    finally:
        server.close()


class Silence(unittest.TestCase):
    def expect(self, result, code, seconds):
        spent, event = result
        print(f"silence became {code} after {spent:.2f} s", flush=True)
        self.assertEqual((event["event"], event["error"]["code"], event["reason"]),
                         ("resource_changed", code, "timeout"), event)
        # The clock starts a moment before we see the request.
        self.assertGreater(spent, seconds - 0.2)
        self.assertLess(spent, seconds + LATE)

    def test_both_timers_at_once(self):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            plain = pool.submit(wait_for_silence, [])
            transient = pool.submit(wait_for_silence, ["resource_timer_is_transient_error"])
            self.expect(plain.result(), "NOT_FOUND", 15)
            self.expect(transient.result(), "UNAVAILABLE", 30)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
