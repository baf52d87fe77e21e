"""Figure m: what authentication costs. The same load with EILBOTE_AUTH=off and with tokens of an issuer of our own, in turns;
the CPU time of the server for a mail with a token, divided by the same without."""
import base64
import http.server
import json
import statistics
import subprocess
import threading
import time

from parts import Watch, run, say

TARGET = 1.10
TOKENS = 8  # in use at once


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Issuer:
    """Discovery and keys on the loopback interface; RS256 tokens signed by the program openssl."""

    def __init__(self, folder):
        self.key = folder / "issuer.pem"
        run(["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", self.key])
        modulus = bytes.fromhex(run(["openssl", "rsa", "-in", self.key, "-modulus", "-noout"]).strip().split("=")[1])
        self.jwks = {"keys": [{"kty": "RSA", "kid": "bench", "use": "sig", "alg": "RS256", "n": b64url(modulus), "e": "AQAB"}]}

    def __enter__(self):
        issuer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                keys = self.path == "/jwks"
                body = json.dumps(issuer.jwks if keys else {"issuer": issuer.url, "jwks_uri": issuer.url + "/jwks"}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()

    def token(self, number):
        """All of one client, so that nothing but the tokens differs from a run without them."""
        now = int(time.time())
        claims = {"iss": self.url, "aud": "eilbote", "azp": "shop", "sub": "shop", "iat": now, "exp": now + 3600,
                  "scope": "openid mail.send mail.status:read", "jti": f"{number}-{now}", "typ": "Bearer",
                  "realm_access": {"roles": ["offline_access", "default-roles-shop", "uma_authorization"]}}
        text = ".".join(b64url(json.dumps(part).encode())
                        for part in ({"alg": "RS256", "typ": "JWT", "kid": "bench"}, claims))
        signed = subprocess.run(["openssl", "dgst", "-sha256", "-sign", self.key], input=text.encode(), stdout=subprocess.PIPE,
                                check=True).stdout
        return f"{text}.{b64url(signed)}"


def measure(bench, store, issuer):
    """CPU microseconds of the server for one accepted mail; `issuer`: None without identity."""
    settings = {"EILBOTE_DISPATCH": "triggered"}
    load_options = {"connections": 64, "text_bytes": 1024}
    if issuer:
        settings |= {"EILBOTE_AUTH": "oidc", "EILBOTE_OIDC_ISSUER": issuer.url, "EILBOTE_OIDC_AUDIENCE": "eilbote"}
        tokens = bench.folder / "tokens"
        tokens.write_text("\n".join(issuer.token(n) for n in range(TOKENS)) + "\n")
        load_options["token_file"] = tokens
    with bench.fresh(store, **settings) as server:
        server.post_mails(seconds=1, **load_options)
        with Watch(server, bench.postgres) as watch:
            # At a fixed rate: the size of the batches, and with it the cost of a mail, is the same for both.
            load = server.post_mails(seconds=bench.scale.seconds, rate=2000, **load_options)
    bench.discard(server)
    return watch.server_cpu * 1e6 / max(load["accepted"], 1)


def figures(bench, figure):
    say("m: CPU of POST /messages with tokens, divided by the same without")
    with Issuer(bench.folder) as issuer:
        return [figure_on(bench, store, issuer, figure) for store in bench.stores]


def figure_on(bench, store, issuer, figure):
    plain, secured = [], []
    for turn in range(bench.rounds):
        for who in ((None, issuer), (issuer, None))[turn % 2]:
            (secured if who else plain).append(measure(bench, store, who))
    without, with_tokens = statistics.median(plain), statistics.median(secured)
    ratio = with_tokens / without
    say(f"  {store}: {without:.1f} µs without, {with_tokens:.1f} µs with tokens")
    return figure("m", f"CPU of a mail accepted with a token ÷ without, {store}", round(ratio, 3), TARGET, ratio <= TARGET,
                  "times", store=store, note=f"{with_tokens:.1f} µs ÷ {without:.1f} µs of the server's CPU at 2,000/s",
                  plain=plain, secured=secured, counts="CPU time")
