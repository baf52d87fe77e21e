"""Has Eilbote deliver the mails that are due, in one run: a token by client credentials, then POST /internal/dispatch/batch
until nothing is due, or (with `poll_seconds`) until the time is over.

Called by dags/eilbote_dispatch_dag.py, and as a program (`python3 eilbote_dispatch.py --help`) by cron or by hand. Needs the
standard library of Python 3.9 only. Token and calls stay in one function, so that no token is handed from task to task.

What it promises:
- A run ends within `budget_seconds`, with a DispatchResult or a DispatchError. (But for a name lookup, which Python cannot
  interrupt, and a few seconds for a host with several addresses none of which answers.)
- Repeating is safe: Eilbote leases what it delivers, so runs may overlap or be tried again without a second mail.
- TryLater is what time may heal: nobody answers, 429, 5xx. It was tried for the whole budget and may be tried again.
  Refused and WrongSettings need a person; they are raised at once.
- Neither the secret nor a token is ever in a message, a result or the log. Redirects are not followed, proxies not used.
"""
from __future__ import annotations

import argparse
import base64
import http.client
import json
import logging
import secrets
import socket
import ssl
import sys
import threading
import time
import urllib.parse
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, Mapping

PATH = "/internal/dispatch/batch"
BATCH_MAX = 1000          # the server's limit
ROUND_SECONDS = 10        # how long the server may work on one batch before it answers; the rest of it goes on
ANSWER_SECONDS = 5        # kept back for the answer to arrive
CONNECT_SECONDS = 5       # for a connection, TLS included
SHORTEST_SECONDS = 2      # with less than this left no call is begun
PAUSE_FIRST, PAUSE_MAX = 1.0, 8.0
TOKEN_BYTES_MAX, ANSWER_BYTES_MAX = 64 * 1024, 4 * 1024 * 1024
TOLD_MAX = 300            # characters of another program's words in a message of ours

log = logging.getLogger("eilbote.dispatch")


class DispatchError(Exception):
    """Why a run did not end well; the text says what to do."""
    retryable = False
    exit_code = 1


class WrongSettings(DispatchError):
    """The connection or the arguments are wrong; nobody was asked."""
    exit_code = 2


class Refused(DispatchError):
    """Asking again would be answered the same."""
    exit_code = 77  # EX_NOPERM


class TokenDenied(Refused):
    """The issuer gives this client no token."""


class TokenInvalid(Refused):
    """Eilbote takes the issuer's tokens for invalid (401), a fresh one too."""


class ScopeMissing(Refused):
    """The token is good and lacks the scope (403)."""


class TryLater(DispatchError):
    """Time may heal it. `retry_after`: how many seconds the other side asked for."""
    retryable = True
    exit_code = 75  # EX_TEMPFAIL

    def __init__(self, text: str, retry_after: float = 0.0):
        super().__init__(text)
        self.retry_after = retry_after


class Unreachable(TryLater):
    """No connection, or one that broke."""


class TooSlow(TryLater):
    """No whole answer within the time that was left."""


class Busy(TryLater):
    """429, 5xx, or 409 with Retry-After."""


@dataclass(frozen=True)
class Settings:
    server: str                                   # http://eilbote.surveyweb.svc:8925
    token_url: str                                # https://idp.example.org/realms/eilbote/protocol/openid-connect/token
    client_id: str
    client_secret: str = field(repr=False)
    scope: str = "mailer.worker"
    audience: str = ""                            # sent with the token request where an issuer wants it
    batch_size: int = 200
    budget_seconds: float = 45.0
    poll_seconds: float = 0.0                     # pause before asking again when nothing is due; 0: the run ends then
    ca_file: str = ""                             # trusted for https instead of the system's authorities

    def __post_init__(self) -> None:
        _check_url("server", self.server)
        _check_url("token_url", self.token_url)
        for name in ("client_id", "client_secret"):
            if not getattr(self, name):
                raise WrongSettings(f"{name} is empty; give the client that Eilbote's issuer knows")
        if not isinstance(self.batch_size, int) or not 1 <= self.batch_size <= BATCH_MAX:
            raise WrongSettings(f"batch_size is {self.batch_size!r}; give a whole number from 1 to {BATCH_MAX}")
        if not isinstance(self.budget_seconds, (int, float)) or not SHORTEST_SECONDS < self.budget_seconds <= 3600:
            raise WrongSettings(f"budget_seconds is {self.budget_seconds!r}; give more than {SHORTEST_SECONDS} and at"
                                " most 3600, and less than the task's execution_timeout")
        if not isinstance(self.poll_seconds, (int, float)) or not 0 <= self.poll_seconds <= 60:
            raise WrongSettings(f"poll_seconds is {self.poll_seconds!r}; give 0 (the run ends when nothing is due) to 60")


@dataclass(frozen=True)
class DispatchResult:
    """What a run did. `by_status` counts mails by their state when their call was answered; QUEUED ones were still under way.
    `complete` says that nothing was due at its end; else the time was over first, and the next run goes on."""
    dispatched: int
    rounds: int
    by_status: Dict[str, int]
    complete: bool
    seconds: float
    trace_id: str

    def as_dict(self) -> Dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        states = ", ".join(f"{count} {state}" for state, count in sorted(self.by_status.items()))
        return (f"{self.dispatched} mails in {self.rounds} calls and {self.seconds:.1f} s"
                + (f" ({states})" if states else "")
                + ("" if self.complete else "; the time was over before all was delivered")
                + f"; trace {self.trace_id}")


def run(settings: Settings) -> DispatchResult:
    """Delivers what is due. Raises a DispatchError."""
    return _Run(settings).deliver()


def settings_of(connection: Any) -> Settings:
    """From an Airflow Connection: host (a URL, or with schema and port), login, password; the rest in its extra."""
    extra = dict(connection.extra_dejson)
    known = {"token_url", "scope", "audience", "batch_size", "budget_seconds", "poll_seconds", "ca_file"}
    strange = sorted(set(extra) - known)
    if strange:
        raise WrongSettings(f"the connection's extra has {', '.join(strange)}; it may have {', '.join(sorted(known))}")
    host = connection.host or ""
    if "://" not in host:
        host = f"{connection.schema or 'http'}://{host}" + (f":{connection.port}" if connection.port else "")
    return Settings(server=host, token_url=extra.pop("token_url", ""), client_id=connection.login or "",
                    client_secret=connection.password or "", **extra)


class _Run:
    """One run: the time that is left, the token, the calls."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.began = time.monotonic()
        self.trace_id = secrets.token_hex(16)
        self.token = ""
        self.token_ends = 0.0
        self.dispatched = 0
        self.rounds = 0
        self.by_status: Counter = Counter()
        self.tls = _tls(settings.ca_file)

    def deliver(self) -> DispatchResult:
        complete, pause = False, self.settings.poll_seconds
        while self.left() >= SHORTEST_SECONDS:
            wait = max(1, min(ROUND_SECONDS, int(self.left() - ANSWER_SECONDS)))
            asked = time.monotonic()
            count = self.patiently(lambda: self.dispatch(wait))
            # A call that found nothing and took all of its time found no room, which says nothing about what is due.
            complete = count == 0 and time.monotonic() - asked < wait
            if complete and (pause == 0 or self.left() < pause + SHORTEST_SECONDS):
                break
            if complete:
                time.sleep(pause)
        result = DispatchResult(self.dispatched, self.rounds, dict(self.by_status), complete,
                                round(time.monotonic() - self.began, 3), self.trace_id)
        log.info("%s", result)
        return result

    def left(self) -> float:
        return self.began + self.settings.budget_seconds - time.monotonic()

    def patiently(self, call: Callable[[], int]) -> int:
        """Calls again what may be tried later, as long as there is time for the pause and another call."""
        pause = PAUSE_FIRST
        while True:
            try:
                return call()
            except TryLater as trouble:
                wait = max(trouble.retry_after, pause)
                if self.left() < wait + SHORTEST_SECONDS:
                    raise type(trouble)(f"{trouble} (given up after {time.monotonic() - self.began:.0f} s and"
                                        f" {self.dispatched} mails)", trouble.retry_after) from trouble
                log.warning("%s; again in %.0f s", trouble, wait)
                time.sleep(wait)
                pause = min(2 * pause, PAUSE_MAX)

    def dispatch(self, wait: int) -> int:
        """One batch: how many mails it had. A token that is refused is replaced once."""
        answer = self.ask(wait)
        if answer.status == 401:
            self.token = ""
            answer = self.ask(wait)
        if answer.status == 401:
            raise TokenInvalid("Eilbote refuses the issuer's token, a fresh one too (401):"
                               f" {_told(answer.headers.get('WWW-Authenticate'))}. Compare EILBOTE_OIDC_ISSUER and"
                               " EILBOTE_OIDC_AUDIENCE with the token's iss and aud, and the clocks")
        if answer.status == 403:
            raise ScopeMissing(f"the token of {self.settings.client_id} does not open {PATH} (403):"
                               f" {_told(answer.headers.get('WWW-Authenticate'))}. Assign the client the scope"
                               f" {self.settings.scope} at the issuer")
        _expect_200(answer, "Eilbote")
        return self.count(answer)

    def count(self, answer: _Answer) -> int:
        told = _object_in(answer)
        items = told.get("items")
        if not isinstance(told.get("dispatched"), int) or not isinstance(items, list):
            raise Refused(f"{self.settings.server} answers 200 and not as Eilbote does; is the address right?")
        self.rounds += 1
        self.dispatched += told["dispatched"]
        self.by_status.update(str(item.get("status")) for item in items if isinstance(item, dict))
        return told["dispatched"]

    def ask(self, wait: int) -> _Answer:
        body = json.dumps({"batchSize": self.settings.batch_size, "waitSeconds": wait}).encode()
        headers = {"Authorization": f"Bearer {self.valid_token()}", "Content-Type": "application/json",
                   "traceparent": f"00-{self.trace_id}-{secrets.token_hex(8)}-01"}
        return self.post("Eilbote", self.settings.server.rstrip("/") + PATH, body, headers, ANSWER_BYTES_MAX)

    def valid_token(self) -> str:
        if not self.token or time.monotonic() >= self.token_ends:
            self.fetch_token()
        return self.token

    def fetch_token(self) -> None:
        settings = self.settings
        form = {"grant_type": "client_credentials", "scope": settings.scope}
        if settings.audience:
            form["audience"] = settings.audience
        # RFC 6749 §2.3.1: both are form-encoded before they are joined.
        pair = ":".join(urllib.parse.quote_plus(text) for text in (settings.client_id, settings.client_secret))
        headers = {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode(), "Accept": "application/json",
                   "Content-Type": "application/x-www-form-urlencoded"}
        answer = self.post("the issuer", settings.token_url, urllib.parse.urlencode(form).encode(), headers, TOKEN_BYTES_MAX)
        if answer.status in (400, 401, 403):
            told = _object_in(answer)
            raise TokenDenied(f"the issuer gives {settings.client_id} no token ({answer.status}):"
                              f" {_told(told.get('error'))} {_told(told.get('error_description'))}. Check the client,"
                              f" its secret and whether it may have the scope {settings.scope}")
        _expect_200(answer, "the issuer")
        told = _object_in(answer)
        token, seconds = told.get("access_token"), told.get("expires_in", 60)
        if not isinstance(token, str) or not token.isascii() or not token.isprintable() or " " in token or not token:
            raise TokenDenied("the issuer answers 200 without an access_token; is token_url its token endpoint?")
        self.token = token
        # Used for the first nine tenths of its life: what is sent must still be good when it arrives.
        self.token_ends = time.monotonic() + 0.9 * (seconds if isinstance(seconds, (int, float)) else 60)

    def post(self, who: str, url: str, body: bytes, headers: Mapping[str, str], limit: int) -> _Answer:
        """An answer within the time that is left, or a TryLater."""
        exchange = _Exchange(url, max(self.left(), 0.001), self.tls)
        try:
            return exchange.post(body, headers, limit)
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            if isinstance(error, ssl.SSLCertVerificationError):
                raise Refused(f"{who} at {_place(url)} has a certificate that is not trusted"
                              f" ({_told(error.verify_message)}); name its authority with ca_file") from error
            if exchange.is_over or isinstance(error, socket.timeout):
                raise TooSlow(f"{who} at {_place(url)} did not answer in the time that was left") from error
            raise Unreachable(f"{who} at {_place(url)} cannot be reached: {_told(error) or type(error).__name__}") from error


@dataclass(frozen=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


class _Exchange:
    """One request on a connection of its own, cut when its time is over: a socket's timeout alone starts anew with every
    byte, so that a server that drips would never end."""

    def __init__(self, url: str, seconds: float, tls: ssl.SSLContext):
        parts = urllib.parse.urlsplit(url)
        self.path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self.ends = time.monotonic() + seconds
        self.is_over = False
        self.connect_seconds = min(seconds, CONNECT_SECONDS)
        if parts.scheme == "https":
            self.link: http.client.HTTPConnection = http.client.HTTPSConnection(
                parts.hostname or "", parts.port, timeout=self.connect_seconds, context=tls)
        else:
            self.link = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=self.connect_seconds)

    def post(self, body: bytes, headers: Mapping[str, str], limit: int) -> _Answer:
        wire, seconds = self._connect(), max(self.ends - time.monotonic(), 0.001)
        wire.settimeout(seconds)
        watchdog = threading.Timer(seconds, self._cut, (wire,))
        watchdog.daemon = True
        watchdog.start()
        try:
            self.link.request("POST", self.path, body, dict(headers))
            reply = self.link.getresponse()
            read = reply.read(limit + 1)
            # What was cut may look like an end.
            if self.is_over:
                raise socket.timeout()
            if len(read) > limit:
                raise http.client.HTTPException(f"an answer of more than {limit} bytes")
            if reply.length:
                raise http.client.IncompleteRead(read, reply.length)
            return _Answer(reply.status, reply.headers, read)
        finally:
            watchdog.cancel()
            self.link.close()

    def _connect(self) -> socket.socket:
        try:
            self.link.connect()
        except socket.timeout as error:
            raise ConnectionError(f"no connection within {self.connect_seconds:.0f} s") from error
        return self.link.sock

    def _cut(self, wire: socket.socket) -> None:
        self.is_over = True
        try:
            wire.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it ended by itself meanwhile


def _expect_200(answer: _Answer, who: str) -> None:
    """200, or the error that another status is."""
    if answer.status == 200:
        return
    told = _object_in(answer) if answer.status >= 400 else {}
    text = f"{who} answers {answer.status}: {_told(told.get('detail') or told.get('title') or told.get('error'))}"
    retry_after = answer.headers.get("Retry-After", "")
    # Retry-After may be a date; then our own pause has to do.
    seconds = float(retry_after) if retry_after.isascii() and retry_after.isdigit() else 0.0
    if answer.status == 429 or answer.status >= 500 or (answer.status == 409 and retry_after):
        raise Busy(text, seconds)
    if 300 <= answer.status < 400:
        raise Refused(f"{who} sends us elsewhere ({answer.status} {_told(answer.headers.get('Location'))}); give the"
                      " address it really has: a token is not carried along")
    raise Refused(text)


def _object_in(answer: _Answer) -> Dict[str, Any]:
    """The JSON object in an answer; an empty one when there is none."""
    try:
        read = json.loads(answer.body)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _told(words: Any) -> str:
    """Another program's words, short and printable, for a message of ours."""
    text = "" if words is None else str(words)
    return "".join(c if c.isprintable() else " " for c in text[:TOLD_MAX])


def _place(url: str) -> str:
    return urllib.parse.urlsplit(url).netloc


def _tls(ca_file: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file or None)
    except OSError as error:
        raise WrongSettings(f"ca_file {ca_file!r} cannot be read as PEM: {error}") from error


def _check_url(name: str, url: str) -> None:
    try:
        parts = urllib.parse.urlsplit(url)
        right = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        right = False
    if not right or not url.isprintable() or " " in url:
        shown = "a URL with a user in it" if "@" in url else repr(url)  # a password may be there
        raise WrongSettings(f"{name} is {shown}; give one such as http://eilbote.example.org:8925")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Has Eilbote deliver the mails that are due.",
                                     epilog="Exit codes: 0 done; 2 wrong settings; 75 try later; 77 refused.")
    parser.add_argument("--server", required=True, metavar="URL")
    parser.add_argument("--token-url", required=True, metavar="URL", help="the issuer's token endpoint")
    parser.add_argument("--client-id", required=True, metavar="ID")
    parser.add_argument("--secret-file", required=True, metavar="FILE", help="the client's secret; - is standard input")
    parser.add_argument("--scope", default=Settings.scope, help="(%(default)s)")
    parser.add_argument("--audience", default="", help="sent with the token request where an issuer wants it")
    parser.add_argument("--batch-size", type=int, default=Settings.batch_size, metavar="N", help="(%(default)s)")
    parser.add_argument("--budget-seconds", type=float, default=Settings.budget_seconds, metavar="S", help="(%(default)s)")
    parser.add_argument("--poll-seconds", type=float, default=Settings.poll_seconds, metavar="S",
                        help="ask again after this pause when nothing is due; 0: end then (%(default)s)")
    parser.add_argument("--ca-file", default="", metavar="FILE", help="trusted for https, PEM")
    return parser.parse_args()


def _read_secret(file: str) -> str:
    try:
        return (sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")).rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongSettings(f"the secret cannot be read: {error}") from error


def main() -> int:
    options = vars(_arguments())
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        result = run(Settings(client_secret=_read_secret(options.pop("secret_file")), **options))
    except DispatchError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(result.as_dict()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
