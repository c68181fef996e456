"""Each row of gRFC A88's table as it happens to a real client, a `holdfast watch` process against a
foreign server, and what `holdfast why` and `holdfast ps` make of that process: the true cause.

    why_a88_test.py HOLDFAST

The rows of the timer are in watch_timers_test.py, which waits for it.
"""

# ctest: interop.why_a88
# R3-T01 R3-T02 R3-T03 R3-T04 R3-T05 R3-T06 R3-T07 R3-T09 R3-T10 R3-T11 R3-T12 R3-T13 R3-T14 R3-T15

import json
import sys
import unittest
from typing import NamedTuple

from foreign_server import (ForeignServer, bad_cluster, cluster, clusters, error, listener,
                            listeners)
from fleet_case import FleetCase
from watch_process import WatchProcess, bootstrap

GOOD = clusters("41", cluster("pay"))
BAD = clusters("42", bad_cluster("pay"))
GONE = clusters("42", cluster("other"))
DROPS = ("fail_on_data_errors",)

DROPPED = "; version 41 is no longer used, because the server has fail_on_data_errors"
KEPT = "; keeping version 41"
MISTAKE = 'cluster "pay": eds_cluster_config: must be set for an EDS cluster'
DELETED = 'cluster "pay": deleted: version 42 of xds server "{server}" no longer has it'

NOTHING_IN_USE = "nothing: calls that need it fail, or wait"
KEEPS_GOING = "what the client has: calls go on with it"
LAST_GOOD_IN_USE = "version 41, the last good one: calls go on with it"

CORRECT = "correct what the client names in cluster pay and publish it again"
CORRECT_FIRST = CORRECT + ("; do not restart the client before: it would start without the version "
                           "it uses")
ADD = "add cluster pay to the configuration, or correct the name in listener web"
BACK = "put cluster pay back into the configuration, or take it out of listener web"
PUT_BACK = "put cluster pay back before the client restarts: it would start without it"
ASK = ("ask whoever owns cluster pay, or change what the control plane is told about it: in files "
       "of holdfast serve an errors: entry refuses it to everybody")
SEE_LOG = "see the log of the control plane for cluster pay: the words above are its own"


def refusal(code, message):
    return clusters("42", errors=[error("pay", code, message)])


NOT_FOUND = refusal(5, "no cluster of that name")
DENIED = refusal(7, "ask #payments")
INTERNAL = refusal(13, "the store is broken")


class Row(NamedTuple):
    """What a server sends of cluster pay, and what `why` and `ps` say of that. The last response
    is told to the watcher; `said` is without the node, which ends it."""
    responses: list
    features: tuple
    state: str
    cause: str
    broken: str
    said_by: str
    said: str
    next: str
    reason: str  # as `ps` begins it

    @property
    def in_use(self):
        return NOTHING_IN_USE if self.state == "failed" else LAST_GOOD_IN_USE


def rejected(responses, features, state, then, advice):
    return Row(responses, features, state, "rejected", "client web-1 rejected version 42",
               "client web-1", MISTAKE + then, advice, "rejected by the client: ")


def told(responses, features, state, cause, broken, code, words, advice):
    """An error of the control plane (TP3)."""
    return Row(responses, features, state, cause, broken, "the control plane",
               f'{code}: cluster "pay": {words}', advice, "server error ")


ROWS = {
    "T05: rejected, nothing cached":
        rejected([BAD], (), "failed", "", CORRECT),
    "T06: rejected, cached":
        rejected([GOOD, BAD], (), "held_back", KEPT, CORRECT_FIRST),
    "T07: rejected, cached and dropped":
        rejected([GOOD, BAD], DROPS, "failed", DROPPED, CORRECT),
    "T09: deleted, cached":
        Row([GOOD, GONE], (), "held_back", "deleted_but_kept", "deleted, and kept by the client",
            "client web-1", DELETED + KEPT, PUT_BACK, "does not exist: "),
    "T10: deleted, cached and dropped":
        Row([GOOD, GONE], DROPS, "failed", "does_not_exist", "it was deleted", "client web-1",
            DELETED + DROPPED, BACK, "does not exist: "),
    "T11: NOT_FOUND, nothing cached":
        told([NOT_FOUND], (), "failed", "does_not_exist", "it does not exist", "NOT_FOUND",
             "no cluster of that name", ADD),
    "T11: PERMISSION_DENIED, nothing cached":
        told([DENIED], (), "failed", "denied",
             "the control plane does not give it to client web-1", "PERMISSION_DENIED",
             "ask #payments", ASK),
    "T12: NOT_FOUND, cached":
        told([GOOD, NOT_FOUND], (), "held_back", "deleted_but_kept",
             "deleted, and kept by the client", "NOT_FOUND", "no cluster of that name" + KEPT,
             PUT_BACK),
    "T12: PERMISSION_DENIED, cached":
        told([GOOD, DENIED], (), "held_back", "denied",
             "the control plane does not give it to client web-1", "PERMISSION_DENIED",
             "ask #payments" + KEPT, ASK),
    "T13: NOT_FOUND, cached and dropped":
        told([GOOD, NOT_FOUND], DROPS, "failed", "does_not_exist", "it was deleted",
             "NOT_FOUND", "no cluster of that name" + DROPPED, BACK),
    "T13: PERMISSION_DENIED, cached and dropped":
        told([GOOD, DENIED], DROPS, "failed", "denied",
             "the control plane does not give it to client web-1", "PERMISSION_DENIED",
             "ask #payments" + DROPPED, ASK),
    "T14: another code, nothing cached":
        told([INTERNAL], (), "failed", "server_error",
             "the control plane answered with an error INTERNAL", "INTERNAL",
             "the store is broken", SEE_LOG),
    "T15: another code, cached":
        told([GOOD, INTERNAL], (), "held_back", "server_error",
             "the control plane answered with an error INTERNAL", "INTERNAL",
             "the store is broken" + KEPT, SEE_LOG),
}


class WhyA88(FleetCase):
    def setUp(self):
        pass

    def start(self, features=()):
        """A client of a new server that watches lds/web and cds/pay: (its process, how to ask it,
        its stream)."""
        self.server = ForeignServer()
        self.addCleanup(self.server.close)
        self.bootstrap = bootstrap(self.server.address, features)
        watch = WatchProcess(self.program, ["lds/web", "cds/pay", "--admin", "127.0.0.1:0"],
                             self.bootstrap)
        self.addCleanup(watch.__exit__)
        address = watch.admin_address()
        stream, _ = self.server.next_request(lambda request: request["typeUrl"].endswith("Cluster"))
        return watch, ("--target", address), stream

    def send(self, stream, response, watch):
        """The event that it becomes."""
        self.server.send(stream, response)
        return watch.next_event()

    def test_each_row_of_data(self):
        for name, row in ROWS.items():
            with self.subTest(name):
                watch, target, stream = self.start(row.features)
                self.send(stream, listeners("41", listener("web", "pay")), watch)
                for response in row.responses:
                    event = self.send(stream, response, watch)
                self.assertIn("error", event)
                self.expect_why(row, target)
                self.expect_ps(row, target)
                watch.stop()

    def test_a_server_that_is_gone(self):
        """T01 and T02: nothing cached, and everything."""
        for responses, in_use in (([], NOTHING_IN_USE), ([GOOD], KEEPS_GOING)):
            with self.subTest(in_use):
                watch, target, stream = self.start()
                for response in responses:
                    self.send(stream, listeners("41", listener("web", "pay")), watch)
                    self.send(stream, response, watch)
                self.server.kill()
                self.assertEqual(watch.next_event()["reason"], "connectivity")
                self.expect_no_control_plane(
                    target, "control_plane_unreachable", "cannot be reached from this machine",
                    "connection refused", in_use,
                    "start the control plane at {server}, or correct server_uri in the bootstrap; "
                    "until then do not restart clients: they would start with nothing")
                watch.stop()

    def test_a_server_that_ends_every_stream(self):
        """T03 and T04: nothing cached, and everything. Whether it does that only once it has read a
        request cannot be seen from outside."""
        for responses, in_use in (([], NOTHING_IN_USE), ([GOOD], KEEPS_GOING)):
            with self.subTest(in_use):
                watch, target, stream = self.start()
                for response in responses:
                    self.send(stream, listeners("41", listener("web", "pay")), watch)
                    self.send(stream, response, watch)
                self.server.refuse_streams("RESOURCE_EXHAUSTED", "no room")
                event = watch.next_event()
                self.assertEqual((event["reason"], event["error"]["code"]),
                                 ("connectivity", "RESOURCE_EXHAUSTED"))
                self.expect_no_control_plane(
                    target, "control_plane_unreachable", "takes no stream from this machine",
                    "RESOURCE_EXHAUSTED: no room", in_use,
                    "correct server_uri or channel_creds in the bootstrap, or mend what answers at "
                    "{server}; until then do not restart clients: they would start with nothing")
                watch.stop()

    def expect_no_control_plane(self, target, cause, broken, said, in_use, next_step):
        code, out, err = self.run_holdfast("why", "xds:///web", *target, "-o", "json",
                                           bootstrap_text=self.bootstrap)
        self.assertEqual((code, err), (79, ""))
        answer = json.loads(out)
        self.assertEqual((answer["cause"], answer["summary"]),
                         (cause, f"control plane {self.server.address}: {broken}"))
        self.assertEqual((answer["said_by"], answer["said"]), (self.server.address, said))
        self.assertEqual((answer["in_use"], answer["next"]),
                         (in_use, next_step.format(server=self.server.address)))

    def expect_why(self, row, target):
        said = row.said.format(server=self.server.address) + ' (node "web-1")'
        code, out, err = self.run_holdfast("why", "xds:///web", *target, "-o", "json",
                                           bootstrap_text=self.bootstrap)
        self.assertEqual((code, err), (79, ""))
        answer = json.loads(out)
        self.assertEqual((answer["broken"]["type"], answer["broken"]["name"],
                          answer["broken"]["state"]), ("cds", "pay", row.state))
        self.assertEqual((answer["cause"], answer["summary"]),
                         (row.cause, "cluster pay: " + row.broken))
        self.assertEqual((answer["said_by"], answer["said"]), (row.said_by, said))
        self.assertEqual((answer["in_use"], answer["next"]), (row.in_use, row.next))
        self.assertRegex(answer["when"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(answer["also"], [])
        code, out, err = self.run_holdfast("why", "xds:///web", *target,
                                           bootstrap_text=self.bootstrap)
        self.assertEqual((code, err), (79, ""))
        for line in (f"broken    cluster pay: {row.broken}", f"cause     {row.cause}",
                     f"said by   {row.said_by}", f"said      {said}", f"in use    {row.in_use}",
                     f"next      {row.next}"):
            self.assertIn(f"\n{line}\n", out)

    def expect_ps(self, row, target):
        code, out, err = self.run_holdfast("ps", *target, "-o", "json")
        self.assertEqual((code, err), (79, ""))
        client, = json.loads(out)["clients"]
        self.assertEqual((client["client"], client["state"]), ("web-1", row.state))
        resource, = client["resources"]
        self.assertEqual((resource["type"], resource["name"], resource["state"]),
                         ("cds", "pay", row.state))
        self.assertEqual(resource.get("client_version"),
                         None if row.state == "failed" else "41")
        code, out, err = self.run_holdfast("ps", *target)
        self.assertEqual((code, err), (79, ""))
        self.assertIn(f"cds/pay: {row.reason}", out)


if __name__ == "__main__":
    FleetCase.program = sys.argv.pop(1)
    unittest.main()
