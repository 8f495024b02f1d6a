"""A headless Chromium, driven over DevTools through two pipes: no port, no package, nothing installed.

Only what the tests of the page need: open a file, evaluate, press keys, take a picture, and collect error messages.
"""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
# Chromium expects its pipes as descriptors 3 and 4; a forked Python may not touch them (threads), a fresh one may.
LAUNCHER = (
    "import fcntl, os, sys; high = [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3]]; "
    "os.dup2(high[0], 3); os.dup2(high[1], 4); os.closerange(5, 64); os.execv(sys.argv[3], sys.argv[3:])"
)


def executable():
    """Where a Chromium is; None where there is none."""
    return next((found for found in map(shutil.which, NAMES) if found), None)


class Browser:
    """``with Browser() as page: page.open(path); page.value("1 + 1")``."""

    def __init__(self, seconds=60.0):
        self._seconds = seconds
        self._stack = contextlib.ExitStack()
        self._number = 0
        self._read = b""
        self.complaints = []
        """Errors and warnings of the console, exceptions, violations of the policy."""
        self.requests = []
        """Addresses the page asked for."""

    def __enter__(self):
        profile = self._stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        into_child, self._out = os.pipe()
        self._in, out_of_child = os.pipe()
        command = [
            sys.executable,
            "-S",
            "-c",
            LAUNCHER,
            str(into_child),
            str(out_of_child),
            executable(),
            *FLAGS,
        ]
        self._process = subprocess.Popen(
            [*command, f"--user-data-dir={profile}"],
            pass_fds=(into_child, out_of_child),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": profile},
        )
        os.close(into_child)
        os.close(out_of_child)
        self._session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        session, self._session = self._session, None
        with contextlib.suppress(Exception):
            self.call("Browser.close")
        del session
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._stack.close()

    def call(self, method, **parameters):
        """One command and its answer."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + self._seconds
        while True:
            answer = self._message(end)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def _message(self, end):
        while b"\0" not in self._read:
            ready, _, _ = select.select([self._in], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise TimeoutError(f"Chromium did not answer within {self._seconds} s")
            part = os.read(self._in, 1 << 20)
            if not part:
                raise RuntimeError("Chromium ended")
            self._read += part
        text, _, self._read = self._read.partition(b"\0")
        found = json.loads(text)
        self._hear(found)
        return found

    def _hear(self, event):
        match event.get("method"):
            case "Runtime.consoleAPICalled" if event["params"]["type"] in ("error", "warning", "assert"):
                self.complaints.append(str(event["params"]["args"]))
            case "Runtime.exceptionThrown":
                self.complaints.append(str(event["params"]["exceptionDetails"]))
            case "Log.entryAdded":
                self.complaints.append(event["params"]["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(event["params"]["request"]["url"])
            case "Page.javascriptDialogOpening":
                self.complaints.append("a dialog opened")

    def open(self, path, anchor=""):
        """Load a file and wait until it is there."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=Path(path).as_uri() + (f"#{anchor}" if anchor else ""))
        end = time.monotonic() + self._seconds
        while self.value("location.protocol + document.readyState") != "file:complete":
            if time.monotonic() > end:
                raise TimeoutError("the page did not load")
            time.sleep(0.02)

    def value(self, expression):
        """What an expression is on the page, as data."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def press(self, key, text=None):
        """A key, down and up, as from a keyboard."""
        code = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "Tab": 9}.get(key, 0)
        down = {"key": key, "windowsVirtualKeyCode": code, **({"text": text} if text else {})}
        self.call("Input.dispatchKeyEvent", type="keyDown", **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def look(self, width, height, *, dark=False, phone=False, media=""):
        """Set the size of the window and the preferred colours of the system."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=phone,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def picture(self, path):
        """What is seen, as a PNG."""
        Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def pdf(self, path):
        """What is printed."""
        data = self.call("Page.printToPDF", preferCSSPageSize=True)["data"]
        Path(path).write_bytes(base64.b64decode(data))
