"""`holdfast serve` as a shell, a probe and a client see it: arguments, HTTP, TLS, signals.

    serve_test.py HOLDFAST
"""

# ctest: end_to_end.serve

import contextlib
import json
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from health_call import NOT_SERVING, SERVING, health_of  # noqa: E402
from watch_process import (PATIENCE, Lines, Process, WatchProcess, bootstrap,  # noqa: E402
                           environment)

PROGRAM = None

GOOD = """
services:
- name: web
  endpoints: ["127.0.0.1:9001"]
errors:
- {type: cds, name: billing, code: PERMISSION_DENIED, message: "ask #payments"}
"""
BROKEN = "services:\n- {name: pay, endpionts: []}\n"


def run(*arguments):
    done = subprocess.run([PROGRAM, "serve", *arguments], env=environment(None), text=True,
                          encoding="utf-8", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    return done.returncode, done.stdout, done.stderr


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=PATIENCE)


def make_certificate(folder, name):
    """Of its own authority, for 127.0.0.1."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", str(key), "-out", str(certificate))
    return certificate, key


class ServeProcess(Process):
    def __init__(self, directory, *arguments):
        super().__init__([PROGRAM, "serve", "--config", str(directory), "--listen", "127.0.0.1:0",
                          "--admin", "127.0.0.1:0", *arguments],
                         stderr=subprocess.PIPE, env=environment(None))
        self.talk = Lines(self.child.stderr)
        self.first_line = self.lines.next()
        if self.first_line is None:
            raise EOFError("the program ended: " + "".join(self.talk.rest()))
        self.ads, self.admin = re.fullmatch(
            r"listening ads=(127\.0\.0\.1:[1-9]\d*) admin=(127\.0\.0\.1:[1-9]\d*)\n",
            self.first_line).groups()

    def __exit__(self, *unused):
        super().__exit__(*unused)
        self.talk.close()

    def get(self, path):
        """Status and text."""
        try:
            with urllib.request.urlopen(f"http://{self.admin}{path}", timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def wait_for(self, path, status, part=""):
        """Until the page is like that."""
        deadline = time.monotonic() + PATIENCE
        while True:
            got = self.get(path)
            if got[0] == status and part in got[1]:
                return got[1]
            if time.monotonic() > deadline:
                raise TimeoutError(f"{path} is {got}, not {status} with {part!r}")
            time.sleep(0.01)

    def stop(self, signal_number=signal.SIGTERM):
        self.child.send_signal(signal_number)
        return self.exit_code()


class InAFolder(unittest.TestCase):
    def setUp(self):
        held = contextlib.ExitStack()
        self.addCleanup(held.close)
        self.folder = Path(held.enter_context(tempfile.TemporaryDirectory()))
        self.config = self.folder / "config"
        self.config.mkdir()

    def write(self, name, text):
        temporary = self.folder / "new"
        temporary.write_text(text, encoding="utf-8")
        temporary.rename(self.config / name)

    def serve(self, *arguments):
        serve = ServeProcess(self.config, *arguments)
        self.addCleanup(serve.__exit__)
        return serve

    def watch(self, address, *names, credentials=None):
        text = bootstrap(address)
        if credentials is not None:
            parsed = json.loads(text)
            parsed["xds_servers"][0]["channel_creds"] = [{"type": "tls", "config": credentials}]
            text = json.dumps(parsed)
        watch = WatchProcess(PROGRAM, names, text)
        self.addCleanup(watch.__exit__)
        return watch


class Usage(InAFolder):
    def expect_refusal(self, arguments, *parts, code=64):
        got, out, err = run(*arguments)
        self.assertEqual(got, code, err)
        self.assertEqual(out, "", "a refusal is no result")
        for part in parts:
            self.assertIn(part, err)

    def test_help_starts_with_an_example(self):
        code, out, err = run("--help")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("holdfast serve --config"), out)

    def test_bad_arguments_are_named(self):
        config = ["--config", str(self.config)]
        self.expect_refusal([], "say --config DIR")
        self.expect_refusal([*config, *config], "--config is there 2 times")
        self.expect_refusal(["--config"], "--config needs a value")
        self.expect_refusal([*config, "--lisen", "x"], "did you mean --listen?")
        self.expect_refusal([*config, "--listen", "18000"], "--listen", "there is no port")
        self.expect_refusal([*config, "--admin", "[::1]"], "--admin", "there is no port")
        self.expect_refusal([*config, "--tp3", "onec"], 'unknown --tp3 "onec"',
                            "did you mean once?")
        self.expect_refusal([*config, "--tls-cert", "a"], "--tls-cert and --tls-key come together")
        self.expect_refusal([*config, "--client-ca", "a"], "--client-ca needs --tls-cert")
        for limit in ("streams-per-connection", "names", "node-bytes", "message-bytes"):
            for value in ("0", "many", "-1"):
                self.expect_refusal([*config, f"--max-{limit}", value],
                                    f"--max-{limit} must be a whole number from 1 to 2147483647 "
                                    f'(got "{value}")')

    def test_a_directory_that_cannot_be_read(self):
        missing = str(self.folder / "missing")
        self.expect_refusal(["--config", missing], missing, "No such file or directory", code=78)
        (self.folder / "file").write_text("", encoding="utf-8")
        self.expect_refusal(["--config", str(self.folder / "file")], "Not a directory", code=78)

    def test_a_protoset_that_cannot_be_read(self):
        self.expect_refusal(["--config", str(self.config), "--protoset", "/nowhere/set"],
                            "/nowhere/set", code=78)

    def test_an_address_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            free = "127.0.0.1:0"
            for listen, admin in ((address, free), (free, address)):
                self.expect_refusal(
                    ["--config", str(self.config), "--listen", listen, "--admin", admin],
                    f"cannot listen on {address}: Address already in use", code=69)

    def test_a_line_that_cannot_be_written_ends_it(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "serve", "--config", str(self.config), "--listen",
                                   "127.0.0.1:0", "--admin", "127.0.0.1:0"], stdout=full,
                                  stderr=subprocess.PIPE, env=environment(None), text=True,
                                  timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write to stdout: No space left on device", done.stderr)

    def test_one_address_for_both_ports(self):
        config = ["--config", str(self.config)]
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        address = f"127.0.0.1:{port}"
        self.expect_refusal([*config, "--listen", address, "--admin", address],
                            f"--listen and --admin are both {address}; give each a port of its own")
        # Written in another way, it is found when the second is opened, and not by gRPC.
        self.expect_refusal([*config, "--listen", f"0.0.0.0:{port}", "--admin", address],
                            f"cannot listen on 0.0.0.0:{port}: Address already in use", code=69)

    def test_tls_files_that_cannot_be_used(self):
        certificate, key = make_certificate(self.folder, "right")
        _, other_key = make_certificate(self.folder, "other")
        nonsense = self.folder / "nonsense"
        nonsense.write_text("secret nonsense", encoding="utf-8")

        def refusal(certificate, key, *parts, ca=None):
            more = [] if ca is None else ["--client-ca", str(ca)]
            arguments = ["--config", str(self.config), "--tls-cert", str(certificate), "--tls-key",
                         str(key), *more]
            self.expect_refusal(arguments, *parts, code=78)
            self.assertNotIn("secret", run(*arguments)[2])

        refusal("/nowhere", key, "--tls-cert", "/nowhere", "No such file or directory")
        refusal(nonsense, key, "--tls-cert", str(nonsense), "no certificate")
        refusal(certificate, nonsense, "--tls-key", str(nonsense), "no private key")
        refusal(certificate, other_key, "--tls-key", str(other_key), "not the key of")
        refusal(certificate, key, "--client-ca", "no certificate", ca=nonsense)


class Serving(InAFolder):
    def test_clients_are_served_and_told_of_changes(self):
        self.write("web.yaml", GOOD)
        serve = self.serve()
        watch = self.watch(serve.ads, "cds/web", "cds/billing", "cds/nothing")
        heard = {event["name"]: event for event in (watch.next_event() for _ in range(3))}
        self.assertIn("version", heard["web"])
        self.assertEqual(heard["billing"]["error"]["code"], "PERMISSION_DENIED")
        self.assertIn("ask #payments", heard["billing"]["error"]["message"])
        self.assertEqual(heard["nothing"]["error"]["code"], "NOT_FOUND")
        self.assertEqual({heard["billing"]["reason"], heard["nothing"]["reason"]},
                         {"server_error"})
        self.write("nothing.yaml", GOOD.replace("web", "nothing").split("errors:")[0])
        event = watch.next_event()
        self.assertEqual((event["name"], event["event"]), ("nothing", "resource_changed"))
        self.assertIn("version", event)
        self.assertEqual(serve.stop(), 0)

    def test_pages(self):
        self.write("web.yaml", GOOD)
        serve = self.serve()
        self.assertEqual(serve.get("/healthz"), (200, "ok\n"))
        self.assertEqual(serve.wait_for("/readyz", 200), "ok\n")
        watch = self.watch(serve.ads, "cds/web", "cds/nothing")
        watch.next_event()
        watch.next_event()
        metrics = serve.wait_for("/metrics", 200, "holdfast_acks_total")
        self.assertIn('holdfast_streams{variant="sotw"} 1\n', metrics)
        self.assertIn('holdfast_tp3_errors_outstanding{type="envoy.config.cluster.v3.Cluster"} 1\n',
                      metrics)
        self.assertEqual(serve.get("/api/v1/clients")[0], 200)
        self.assertEqual(serve.get("/metricz"),
                         (404, '"/metricz" is not there; did you mean /metrics?\nthere are '
                               '/healthz, /readyz, /metrics, /api/v1/clients, /api/v1/resources, '
                               '/api/v1/errors\n'))

    def test_silent_connections_do_not_keep_a_probe_waiting(self):
        serve = self.serve()
        host, port = serve.admin.split(":")
        # A machine that pauses may take longer than the silent ones are borne with: then again.
        for _ in range(5):
            with contextlib.ExitStack() as held:
                silent = [held.enter_context(socket.create_connection((host, int(port))))
                          for _ in range(8)]
                self.assertEqual(serve.get("/healthz"), (200, "ok\n"))
                given_up, _, _ = select.select(silent, [], [], 0)
                if not given_up:
                    return
        self.fail("/healthz answers only after it has given up silent connections")

    def test_health_over_grpc(self):
        self.write("pay.yaml", BROKEN)
        serve = self.serve()
        ads = "envoy.service.discovery.v3.AggregatedDiscoveryService"
        serve.wait_for("/readyz", 503, "pay.yaml")
        for service in ("", ads):
            self.assertEqual(health_of(serve.ads, service), NOT_SERVING)
        self.write("web.yaml", GOOD)
        serve.wait_for("/readyz", 200, "pay.yaml")
        # The page and the service hear of it one after the other.
        deadline = time.monotonic() + PATIENCE
        while health_of(serve.ads) != SERVING:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        self.assertEqual(health_of(serve.ads, ads), SERVING)

    def test_the_line_comes_after_the_first_reading(self):
        many = "".join(f"- {{name: s{i}, endpoints: ['127.0.0.1:1']}}\n" for i in range(1000))
        self.write("many.yaml", "services:\n" + many)
        self.write("web.yaml", GOOD)
        serve = self.serve("--state", str(self.folder / "state"))
        self.assertEqual(serve.get("/readyz"), (200, "ok\n"))
        self.assertEqual(health_of(serve.ads), SERVING)
        self.write("web.yaml", "{")
        text = serve.wait_for("/readyz", 200, "web.yaml")
        self.assertIn("serving what it last said: 4 resources and 1 errors", text)

    def test_the_line_comes_also_if_all_files_are_broken(self):
        self.write("pay.yaml", "{")
        serve = self.serve()
        status, text = serve.get("/readyz")
        self.assertEqual(status, 503)
        self.assertIn("pay.yaml:1", text)
        self.assertEqual(health_of(serve.ads), NOT_SERVING)

    def test_health_of_a_good_directory(self):
        self.write("web.yaml", GOOD)
        serve = self.serve()
        serve.wait_for("/readyz", 200)
        self.assertEqual(health_of(serve.ads), SERVING)

    def test_one_broken_file_is_named_and_the_rest_is_served(self):
        self.write("web.yaml", GOOD)
        self.write("pay.yaml", BROKEN)
        serve = self.serve()
        text = serve.wait_for("/readyz", 200, "pay.yaml")
        self.assertRegex(text, r"^serving, with \d+ problems?:\n- ")
        self.assertIn("endpionts", text)
        watch = self.watch(serve.ads, "cds/web")
        self.assertIn("version", watch.next_event())
        self.write("pay.yaml", BROKEN.replace("endpionts", "endpoints"))
        self.assertEqual(serve.wait_for("/readyz", 200, "ok"), "ok\n")

    def test_nothing_good_is_not_ready(self):
        self.write("pay.yaml", "{")
        serve = self.serve()
        text = serve.wait_for("/readyz", 503, "pay.yaml")
        self.assertIn("not ready: there is no good configuration yet\n- ", text)
        self.assertEqual(serve.get("/healthz")[0], 200)
        self.write("web.yaml", GOOD)
        serve.wait_for("/readyz", 200, "pay.yaml")

    def test_signals_tell_the_clients_and_end_it(self):
        self.write("web.yaml", GOOD)
        for number in (signal.SIGTERM, signal.SIGINT):
            serve = self.serve()
            watch = self.watch(serve.ads, "cds/web")
            watch.next_event()
            self.assertEqual(serve.stop(number), 0)
            event = watch.next_event()
            self.assertEqual((event["event"], event["error"]["code"]),
                             ("ambient_error", "UNAVAILABLE"))
            self.assertEqual(watch.stop(), 0)

    def test_the_state_may_be_elsewhere(self):
        state = self.folder / "kept" / "here"
        self.write("web.yaml", GOOD)
        serve = self.serve("--state", str(state))
        version = self.watch(serve.ads, "cds/web").next_event()["version"]
        serve.wait_for("/readyz", 200, "ok")
        self.assertEqual(serve.stop(), 0)
        self.assertIn("last_good", [entry.name for entry in state.iterdir()])
        self.assertFalse((self.config / ".holdfast").exists())
        # What was good before the restart is served after it.
        self.write("web.yaml", "{")
        serve = self.serve("--state", str(state))
        self.assertEqual(self.watch(serve.ads, "cds/web").next_event()["version"], version)
        serve.wait_for("/readyz", 200, "web.yaml: serving what it last said")

    def test_a_state_that_cannot_be_written_is_said_and_serving_goes_on(self):
        (self.folder / "file").write_text("", encoding="utf-8")
        state = self.folder / "file" / "state"
        self.write("web.yaml", GOOD)
        serve = self.serve("--state", str(state))
        text = serve.wait_for("/readyz", 200, "state directory")
        self.assertIn(f'state directory "{state}"', text)
        self.assertIn("Not a directory", text)
        self.assertIn("version", self.watch(serve.ads, "cds/web").next_event())

    def test_once_means_once_a_subscription(self):
        sent = r'holdfast_tp3_errors_sent_total\{.*cluster.*\} (\d+)\n'
        for mode, count in (("once", "1"), ("on", "2")):
            self.write("web.yaml", GOOD)
            # Each begins with nothing: what was served before the restart would be a response more.
            serve = self.serve("--tp3", mode, "--state", str(self.folder / mode))
            watch = self.watch(serve.ads, "cds/web", "cds/nothing")
            self.assertEqual({watch.next_event()["name"], watch.next_event()["name"]},
                             {"web", "nothing"})
            # Another response, in which nothing is as it was.
            self.write("web.yaml", GOOD.replace("- name: web", "- name: web\n  lb: ring_hash"))
            self.assertIn("version", watch.next_event())
            found = re.search(sent, serve.get("/metrics")[1], re.IGNORECASE)
            self.assertEqual(found.group(1), count, mode)
            serve.stop()

    def test_a_file_that_never_could_be_read_may_have_what_is_missing(self):
        self.write("web.yaml", GOOD)
        self.write("pay.yaml", "{")
        serve = self.serve()
        watch = self.watch(serve.ads, "cds/pay")
        error = watch.next_event()["error"]
        self.assertEqual(error["code"], "UNAVAILABLE")
        self.assertIn('could never read "pay.yaml" of its configuration', error["message"])
        self.write("pay.yaml", "resources: []\n")
        self.assertEqual(watch.next_event()["error"]["code"], "NOT_FOUND")

    def test_off_means_silence(self):
        self.write("web.yaml", GOOD)
        serve = self.serve("--tp3", "off")
        watch = self.watch(serve.ads, "cds/nothing", "cds/web")
        # A full-state response without the name says it too, in the old way.
        self.assertEqual(watch.next_event()["name"], "web")


class Encrypted(InAFolder):
    def setUp(self):
        super().setUp()
        self.write("web.yaml", GOOD)
        self.certificate, self.key = make_certificate(self.folder, "server")
        self.tls = ("--tls-cert", str(self.certificate), "--tls-key", str(self.key))
        self.trust = {"ca_certificate_file": str(self.certificate)}

    def test_a_client_that_trusts_it_is_served(self):
        serve = self.serve(*self.tls)
        watch = self.watch(serve.ads, "cds/web", credentials=self.trust)
        self.assertIn("version", watch.next_event())
        stranger = self.watch(serve.ads, "cds/web")
        self.assertEqual(stranger.next_event()["error"]["code"], "UNAVAILABLE")

    def test_clients_need_a_certificate_if_told(self):
        certificate, key = make_certificate(self.folder, "client")
        serve = self.serve(*self.tls, "--client-ca", str(certificate))
        shown = {"certificate_file": str(certificate), "private_key_file": str(key)}
        known = self.watch(serve.ads, "cds/web", credentials={**self.trust, **shown})
        self.assertIn("version", known.next_event())
        unknown = self.watch(serve.ads, "cds/web", credentials=self.trust)
        self.assertEqual(unknown.next_event()["error"]["code"], "UNAVAILABLE")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
