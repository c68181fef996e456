"""`holdfast watch` as a test drives it: lines in, lines out, each with a deadline.

    with WatchProcess(program, ["cds/pay"], bootstrap("127.0.0.1:18000")) as watch:
        event = watch.next_event()
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading

# Far longer than anything takes on a loaded machine with sanitizers; only failures wait so long.
PATIENCE = 60


def bootstrap(address, features=(), node="web-1"):
    server = {"server_uri": address, "channel_creds": [{"type": "insecure"}],
              "server_features": list(features)}
    return json.dumps({"xds_servers": [server], "node": {"id": node}})


def environment(bootstrap_text, **more):
    """Ours, without what would change the program's behaviour behind a test's back."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("GRPC_", "HOLDFAST_", "NO_COLOR", "CLICOLOR"))}
    if bootstrap_text is not None:
        clean["GRPC_XDS_BOOTSTRAP_CONFIG"] = bootstrap_text
    return {**clean, **more}


class Lines:
    """The lines of a pipe, as they come."""

    def __init__(self, pipe):
        self._queue = queue.SimpleQueue()
        self._pipe = pipe
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def close(self):
        """REQUIRES: who writes to the pipe is dead."""
        self._thread.join(PATIENCE)
        self._pipe.close()

    def _read(self):
        for line in self._pipe:
            self._queue.put(line)
        self._queue.put(None)

    def next(self, timeout=PATIENCE):
        """None at the end."""
        try:
            return self._queue.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError(f"no line within {timeout} s") from None

    def rest(self):
        lines = []
        while (line := self.next()) is not None:
            lines.append(line)
        return lines


class Process(contextlib.AbstractContextManager):
    """A child with lines on all three pipes. Leaving the block kills it."""

    def __init__(self, command, **options):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      text=True, encoding="utf-8", bufsize=1, **options)
        self.lines = Lines(self.child.stdout)

    def tell(self, line):
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()

    def exit_code(self):
        return self.child.wait(PATIENCE)

    def __exit__(self, *unused):
        self.child.kill()
        self.child.wait()
        self.lines.close()
        with contextlib.suppress(BrokenPipeError):
            self.child.stdin.close()


class TalkingProcess(Process):
    """A command of ours with -o json: results on stdout, talk on stderr."""

    def __init__(self, command, bootstrap_text, **more_environment):
        super().__init__(command, stderr=subprocess.PIPE,
                         env=environment(bootstrap_text, **more_environment))
        self.talk = Lines(self.child.stderr)

    def __exit__(self, *unused):
        super().__exit__(*unused)
        self.talk.close()

    def next_result(self, timeout=PATIENCE):
        line = self.lines.next(timeout)
        if line is None:
            raise EOFError("the program ended: " + "".join(self.talk.rest()))
        return json.loads(line)

    def next_talk(self, part):
        """The next line on stderr that has this part."""
        while (line := self.talk.next()) is not None:
            if part in line:
                return line.rstrip("\n")
        raise EOFError(f"nothing on stderr has {part!r}")

    def admin_address(self):
        return self.next_talk("admin listening on ").rsplit(" ", 1)[1]

    def stop(self, signal_number=signal.SIGTERM):
        """The exit code after that signal."""
        self.child.send_signal(signal_number)
        return self.exit_code()


class WatchProcess(TalkingProcess):
    def __init__(self, program, arguments, bootstrap_text, **more_environment):
        super().__init__([program, "watch", "-o", "json", *arguments], bootstrap_text,
                         **more_environment)

    def next_event(self, timeout=PATIENCE):
        return self.next_result(timeout)
