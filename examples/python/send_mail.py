#!/usr/bin/env python3
"""Sends one mail through Eilbote: a token from the issuer, then POST /messages. An example to copy from; needs Python 3.9 and
nothing else.

    python3 send_mail.py --server http://eilbote:8925 --token-url https://idp.example.org/realms/eilbote/protocol/openid-connect/token \\
        --client-id surveyweb --secret-file /run/secrets/surveyweb --from survey@example.org --to ada@example.org \\
        --subject "Your invitation" --text "Please take part."

Prints the messageId. The Idempotency-Key is chosen once, before the first try: when an answer is lost, the same request is sent
again with the same key and Eilbote answers with the same messageId. That makes trying again safe, and a mail never goes twice. A
real application keeps the key with what the mail is about ("invitation-4711"), so that it holds across its own crashes, too.
"""
import argparse
import base64
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from pathlib import Path

TRIES = 5
SECONDS = 10  # for one request


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A token goes to the address that was configured and nowhere else."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirects)


def post(url, body, headers):
    """The JSON of a 2xx answer. What time may heal (no answer, 429, 5xx) is tried again; anything else is an HTTPError."""
    for attempt in range(1, TRIES + 1):
        wait = 2.0 ** attempt
        try:
            with OPENER.open(urllib.request.Request(url, body, headers, method="POST"), timeout=SECONDS) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if attempt == TRIES or (error.code != 429 and error.code < 500):
                raise
            asked = error.headers.get("Retry-After", "")
            wait = min(float(asked), 60) if asked.isdigit() else wait
        except OSError:
            if attempt == TRIES:
                raise
        time.sleep(wait)
    raise AssertionError("the last try returns or raises")


def fetch_token(token_url, client_id, secret, scope):
    pair = f"{urllib.parse.quote_plus(client_id)}:{urllib.parse.quote_plus(secret)}"
    form = urllib.parse.urlencode({"grant_type": "client_credentials", "scope": scope})
    return post(token_url, form.encode(), {
        "Authorization": "Basic " + base64.b64encode(pair.encode()).decode(),
        "Content-Type": "application/x-www-form-urlencoded"})["access_token"]


def send_mail(server, token, mail, key):
    """The mail is committed when this returns; its delivery goes on by itself."""
    return post(server.rstrip("/") + "/messages", json.dumps(mail).encode(), {
        "Authorization": f"Bearer {token}", "Content-Type": "application/json", "Idempotency-Key": key})["messageId"]


def arguments():
    parser = argparse.ArgumentParser(description="Sends one mail through Eilbote.")
    for name in ("server", "token-url", "client-id", "secret-file", "from", "subject", "text"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--to", required=True, action="append", help="may be given several times")
    parser.add_argument("--key", default=str(uuid.uuid4()), help="the Idempotency-Key (a new UUID)")
    return parser.parse_args()


def main():
    options = arguments()
    mail = {"from": getattr(options, "from"), "to": options.to, "subject": options.subject, "body": {"text": options.text}}
    try:
        secret = Path(options.secret_file).read_text(encoding="utf-8").rstrip("\r\n")
        token = fetch_token(options.token_url, options.client_id, secret, "mail.send")
        print(send_mail(options.server, token, mail, options.key))
    except urllib.error.HTTPError as error:
        # A problem (RFC 9457): which field is wrong, and what would be right.
        print(f"{error.code} from {error.url}: {error.read(4096).decode(errors='replace')}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"no answer: {error}", file=sys.stderr)
        return 75
    return 0


if __name__ == "__main__":
    sys.exit(main())
