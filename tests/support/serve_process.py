"""`holdfast serve` as a test drives it: a configuration directory, a process, its two addresses.

    with ServeProcess(program) as plane:
        plane.write("web.yaml", service("web", backend.address))
        ... plane.ads, plane.admin ...
"""

import re
import shutil
import signal
import tempfile
import urllib.request
from pathlib import Path

from watch_process import Process, environment

LISTENING = re.compile(r"listening ads=(\S+) admin=(\S+)\n")


def service(name, *endpoints, lb="round_robin"):
    addresses = ", ".join(f'"{endpoint}"' for endpoint in endpoints)
    return f"services:\n- name: {name}\n  lb: {lb}\n  endpoints: [{addresses}]\n"


class ServeProcess:
    """Port 0 by default. `files` are there before it starts. Leaving the block kills it."""

    def __init__(self, program, *arguments, files=None, listen="127.0.0.1:0", env=None):
        self.directory = Path(tempfile.mkdtemp(prefix="holdfast-serve-"))
        self._command = [program, "serve", "--config", str(self.directory), "--listen", listen,
                         "--admin", "127.0.0.1:0", *arguments]
        self._env = environment(None, **(env or {}))
        for name, text in (files or {}).items():
            self.write(name, text)
        self.log = tempfile.TemporaryFile(mode="w+", encoding="utf-8")
        self.process = None
        self.start()

    def start(self):
        self.process = Process(self._command, stderr=self.log, env=self._env)
        line = self.process.lines.next()
        match = LISTENING.fullmatch(line or "")
        if not match:
            raise AssertionError(f"no address from serve, but {line!r}; it said:\n{self.talk()}")
        self.ads, self.admin = match.groups()
        # The next time it comes back to the same place.
        at = self._command.index("--listen") + 1
        self._command[at] = self.ads

    def write(self, name, text):
        """Atomically, as an editor or a deployment does."""
        target = self.directory / name
        fresh = target.with_name(f".{name}.new")
        fresh.write_text(text, encoding="utf-8")
        fresh.rename(target)

    def remove(self, name):
        (self.directory / name).unlink()

    def get(self, path):
        """(status, body) of the admin port."""
        try:
            with urllib.request.urlopen(f"http://{self.admin}{path}", timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metrics(self, name):
        """The sum of a metric over its labels."""
        total = 0
        for line in self.get("/metrics")[1].splitlines():
            if line.split("{")[0].split(" ")[0] == name:
                total += float(line.rsplit(" ", 1)[1])
        return total

    def talk(self):
        """What it said on stderr so far."""
        self.log.flush()
        self.log.seek(0)
        return self.log.read()

    def kill(self):
        if self.process is not None:
            self.process.child.send_signal(signal.SIGKILL)
            self.process.__exit__()
            self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.log.close()
        shutil.rmtree(self.directory, ignore_errors=True)
