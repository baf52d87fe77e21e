"""What eilbote_dispatch.py makes of each answer: what is tried again, what ends the run at once, and in which words.
Run by tests/unit/airflow_module_test.cpp: python3 -m unittest discover -s tests/airflow -p '*_test.py'
"""
import base64
import dataclasses
import json
import logging
import socket
import threading
import time
import unittest
import urllib.parse
from unittest import mock

from scripted_web import AIRFLOW, DISPATCH, SECRET, TOKEN, ScriptedWeb, answer, batch, token

import eilbote_dispatch as module

PROBLEM = {"title": "Too many requests", "detail": "the intake is full"}


def cut_off(connection):
    """Half an answer, and the connection is gone."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"dispatched\": 1")
    connection.shutdown(socket.SHUT_RDWR)


def drip(connection):
    """A byte at a time, for ever: no single read waits long."""
    try:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while True:
            connection.sendall(b" ")
            threading.Event().wait(0.02)
    except OSError:
        pass  # the caller has had enough


class Rules(unittest.TestCase):
    def setUp(self):
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)
        # Pauses are counted, not waited for.
        self.pauses = []
        self.use(mock.patch.object(module.time, "sleep", self.pauses.append))

    def use(self, patch):
        patch.start()
        self.addCleanup(patch.stop)

    def run_with(self, tokens, batches, **settings):
        with ScriptedWeb(tokens, batches) as web:
            self.web = web
            return module.run(web.settings(**settings))

    def asked(self, path):
        return len(self.web.seen[path])

    def test_goes_on_until_nothing_is_due(self):
        result = self.run_with([token()], [batch("SENT", "SENT"), batch("FAILED"), batch()], batch_size=2)
        self.assertEqual((result.dispatched, result.rounds, result.complete), (3, 3, True))
        self.assertEqual(result.by_status, {"SENT": 2, "FAILED": 1})
        self.assertEqual(self.asked(TOKEN), 1, "one token serves all calls")
        traces = {headers["traceparent"].split("-")[1] for headers, _ in self.web.seen[DISPATCH]}
        self.assertEqual(traces, {result.trace_id})
        for _, body in self.web.seen[DISPATCH]:
            self.assertEqual(json.loads(body), {"batchSize": 2, "waitSeconds": module.ROUND_SECONDS})
        self.assertIn("3 mails in 3 calls", str(result))
        json.dumps(result.as_dict())

    def test_asks_for_its_scope_with_its_secret_in_the_header(self):
        self.run_with([token()], [batch()], audience="eilbote")
        headers, body = self.web.seen[TOKEN][0]
        pair = base64.b64decode(headers["Authorization"].removeprefix("Basic ")).decode().split(":")
        self.assertEqual([urllib.parse.unquote_plus(part) for part in pair], ["airflow", SECRET])
        self.assertEqual(urllib.parse.parse_qs(body.decode()), {
            "grant_type": ["client_credentials"], "scope": ["mailer.worker"], "audience": ["eilbote"]})

    def test_replaces_a_refused_token_once(self):
        result = self.run_with([token("old"), token("new")], [answer(401), batch("SENT"), batch()])
        self.assertEqual(result.dispatched, 1)
        used = [headers["Authorization"] for headers, _ in self.web.seen[DISPATCH]]
        self.assertEqual(used, ["Bearer old", "Bearer new", "Bearer new"])

    def test_replaces_a_token_before_it_ends(self):
        self.run_with([token("short", seconds=0), token("long")], [batch("SENT"), batch()])
        used = [headers["Authorization"] for headers, _ in self.web.seen[DISPATCH]]
        self.assertEqual(used, ["Bearer short", "Bearer long"])

    def test_tries_later_what_time_may_heal(self):
        for name, trouble, pause in (("429 without a word", answer(429, PROBLEM), 1), ("503", answer(503, PROBLEM, Retry_After="3"), 3),
                                     ("502 of a proxy", answer(502, b"<html>"), 1), ("409", answer(409, Retry_After="2"), 2),
                                     ("a date", answer(429, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"), 1),
                                     ("half an answer", cut_off, 1)):
            for place in (DISPATCH, TOKEN):
                if place == TOKEN and name in ("409", "half an answer"):
                    continue
                with self.subTest(name, place=place):
                    self.pauses.clear()
                    tokens, batches = ([trouble, token()], [batch()]) if place == TOKEN else ([token()], [trouble, batch()])
                    self.assertTrue(self.run_with(tokens, batches).complete)
                    self.assertEqual(self.pauses, [pause])
                    self.assertEqual(self.asked(place), 2)

    def test_pauses_grow_up_to_a_limit(self):
        self.run_with([token()], [answer(503)] * 6 + [batch()])
        self.assertEqual(self.pauses, [1, 2, 4, 8, 8, 8])

    def test_does_not_begin_a_pause_it_has_no_time_for(self):
        with self.assertRaises(module.Busy) as caught:
            self.run_with([token()], [batch("SENT"), answer(429, PROBLEM, Retry_After="600")])
        self.assertEqual(self.pauses, [])
        self.assertEqual((caught.exception.retryable, caught.exception.exit_code, caught.exception.retry_after), (True, 75, 600))
        self.assertRegex(str(caught.exception), r"429: the intake is full \(given up after \d+ s and 1 mails\)")

    def test_fails_at_once_when_a_person_is_needed(self):
        cases = (
            ("scope", [token()], answer(403, WWW_Authenticate='Bearer error="insufficient_scope", scope="mailer.worker"'),
             module.ScopeMissing, "insufficient_scope.*Assign the client the scope mailer.worker"),
            ("invalid", [token()], answer(401, WWW_Authenticate='Bearer error_description="expired"'), module.TokenInvalid,
             "a fresh one too.*expired"),
            ("client", [answer(401, {"error": "invalid_client"})], batch(), module.TokenDenied, "invalid_client.*its secret"),
            ("scope at the issuer", [answer(400, {"error": "invalid_scope"})], batch(), module.TokenDenied, "invalid_scope"),
            ("no token", [answer(200, {"hello": 1})], batch(), module.TokenDenied, "without an access_token"),
            ("token of two lines", [token("a\r\nX: y")], batch(), module.TokenDenied, "without an access_token"),
            ("bad request", [token()], answer(400, {"detail": "batchSize: too large"}), module.Refused, "400: batchSize: too large"),
            ("not found", [token()], answer(404), module.Refused, "404"),
            ("409 without a time", [token()], answer(409, {"detail": "no"}), module.Refused, "409: no"),
            ("elsewhere", [token()], answer(302, Location="https://elsewhere.example/"), module.Refused, "elsewhere.example"),
            ("another program", [token()], answer(200, b"<html>"), module.Refused, "is the address right"),
        )
        for name, tokens, told, error, words in cases:
            with self.subTest(name):
                with self.assertRaisesRegex(error, words) as caught:
                    self.run_with(tokens, [told])
                self.assertEqual((caught.exception.retryable, caught.exception.exit_code), (False, 77))
                self.assertEqual(self.pauses, [])
                self.assertNotIn(SECRET, str(caught.exception))
                self.assertLessEqual(self.asked(DISPATCH), 2)

    def test_a_server_that_drips_is_cut_off(self):
        began = time.monotonic()
        self.use(mock.patch.object(module, "SHORTEST_SECONDS", 0.2))
        with self.assertRaisesRegex(module.TooSlow, "did not answer in the time"):
            self.run_with([token()], [drip], budget_seconds=0.5)
        self.assertLess(time.monotonic() - began, 5)

    def test_nobody_there_is_unreachable(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
            url = f"http://127.0.0.1:{taken.getsockname()[1]}"
            with ScriptedWeb([token()], [batch()]) as web, self.assertRaisesRegex(module.Unreachable, "refused"):
                self.use(mock.patch.object(module, "PAUSE_FIRST", 60))
                module.run(web.settings(server=url))

    def test_an_endless_answer_is_not_read(self):
        self.use(mock.patch.object(module, "PAUSE_FIRST", 60))
        with self.assertRaisesRegex(module.TryLater, "more than"):
            self.run_with([token()], [answer(200, b" " * (module.ANSWER_BYTES_MAX + 1))])

    def test_time_over_is_no_error(self):
        self.use(mock.patch.object(module, "SHORTEST_SECONDS", 0.2))
        result = self.run_with([token()], [batch("QUEUED")], budget_seconds=0.5)
        self.assertFalse(result.complete)
        self.assertGreater(result.dispatched, 0)
        self.assertIn("the time was over", str(result))


    def test_polls_until_its_time_is_over_when_told_to(self):
        self.use(mock.patch.object(module, "SHORTEST_SECONDS", 0.1))
        result = self.run_with([token()], [batch(), batch("SENT"), batch()], budget_seconds=0.5, poll_seconds=0.05)
        self.assertEqual((result.dispatched, result.complete), (1, True))
        self.assertGreater(result.rounds, 2)
        self.assertEqual(set(self.pauses), {0.05})


class Connection:
    """The members of an Airflow Connection that are read."""
    host, port, schema, login, password = "eilbote.surveyweb.svc", 8925, "http", "airflow", SECRET
    extra_dejson = {"token_url": "https://idp.example.org/token"}

    def __init__(self, **others):
        self.__dict__.update(others)


class SettingsOfAConnection(unittest.TestCase):
    def test_are_read(self):
        settings = module.settings_of(Connection())
        self.assertEqual((settings.server, settings.client_id, settings.batch_size), ("http://eilbote.surveyweb.svc:8925", "airflow", 200))
        whole = module.settings_of(Connection(host="https://mail.example.org", extra_dejson={
            "token_url": "https://idp.example.org/token", "batch_size": 50, "budget_seconds": 20}))
        self.assertEqual((whole.server, whole.batch_size, whole.budget_seconds), ("https://mail.example.org", 50, 20))
        self.assertNotIn(SECRET, repr(whole))

    def test_name_what_is_wrong(self):
        token_url = {"token_url": "https://idp.example.org/token"}
        for change, words in (({"host": ""}, "server is"), ({"host": "ftp://x"}, "server is"), ({"host": "http://u:p@x"}, "with a user in it"),
                              ({"extra_dejson": {}}, "token_url is"), ({"login": None}, "client_id is empty"),
                              ({"password": None}, "client_secret is empty"),
                              ({"extra_dejson": {**token_url, "batch_size": 1001}}, "from 1 to 1000"),
                              ({"extra_dejson": {**token_url, "batch_size": "50"}}, "a whole number"),
                              ({"extra_dejson": {**token_url, "budget_seconds": 0}}, "budget_seconds is 0"),
                              ({"extra_dejson": {**token_url, "poll_seconds": -1}}, "poll_seconds is -1"),
                              ({"extra_dejson": {**token_url, "tokenurl": 1}}, "extra has tokenurl")):
            with self.subTest(words), self.assertRaisesRegex(module.WrongSettings, words) as caught:
                module.settings_of(Connection(**change))
            self.assertNotIn("u:p", str(caught.exception))
            self.assertEqual((caught.exception.retryable, caught.exception.exit_code), (False, 2))

    def test_an_authority_that_is_not_there(self):
        with self.assertRaisesRegex(module.WrongSettings, "ca_file '/nowhere'"):
            module.run(module.settings_of(Connection(extra_dejson={"token_url": "https://idp.example.org/t", "ca_file": "/nowhere"})))


class Page(unittest.TestCase):
    def test_tells_every_error_and_setting(self):
        page = (AIRFLOW.parents[1] / "docs" / "airflow.md").read_text(encoding="utf-8")

        def kinds(error):
            return [error] + [kind for child in error.__subclasses__() for kind in kinds(child)]

        for error in kinds(module.DispatchError)[1:]:
            self.assertIn(error.__name__, page)
        in_connection = {"server", "client_id", "client_secret"}  # host, login and password of the connection
        for one in dataclasses.fields(module.Settings):
            if one.name not in in_connection:
                self.assertIn(f"| `{one.name}` |", page)


if __name__ == "__main__":
    unittest.main()
