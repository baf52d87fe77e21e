"""An issuer and an Eilbote in one web server on the loopback that answer what a test tells them, and note what they were asked.
For the rules of deploy/airflow/eilbote_dispatch.py that a healthy server never shows; the healthy ones are in tests/scenarios.
"""
import http.server
import json
import sys
import threading
from pathlib import Path

sys.dont_write_bytecode = True
AIRFLOW = Path(__file__).resolve().parents[2] / "deploy" / "airflow"
sys.path.insert(0, str(AIRFLOW))

TOKEN, DISPATCH = "/token", "/internal/dispatch/batch"
SECRET = "s3cret:with%odd+signs"


def answer(status, body=None, **headers):
    """One answer; a body that is not bytes is written as JSON."""
    raw = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()
    return status, raw, {name.replace("_", "-"): value for name, value in headers.items()}


def token(text="token-1", seconds=300):
    return answer(200, {"access_token": text, "token_type": "Bearer", "expires_in": seconds})


def batch(*states):
    return answer(200, {"dispatched": len(states), "maxAttempts": 5, "items": [{"status": state} for state in states]})


class ScriptedWeb:
    """Answers each path from its list, the last one again and again. A callable is called with the request's socket."""

    def __init__(self, tokens, batches):
        self.script = {TOKEN: list(tokens), DISPATCH: list(batches)}
        self.seen = {TOKEN: [], DISPATCH: []}  # (headers, body)
        web = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                web.seen[self.path].append((self.headers, body))
                script = web.script[self.path]
                told = script.pop(0) if len(script) > 1 else script[0]
                if callable(told):
                    told(self.connection)
                    self.close_connection = True
                    return
                status, raw, headers = told
                self.send_response(status)
                for name, value in {"Content-Length": str(len(raw)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def settings(self, **others):
        import eilbote_dispatch
        return eilbote_dispatch.Settings(**{"server": self.url, "token_url": self.url + TOKEN, "client_id": "airflow",
                                            "client_secret": SECRET, **others})
