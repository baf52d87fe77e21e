"""A relay on aiosmtpd for scenarios: aiosmtpd_relay.py FOLDER [CERTIFICATE KEY]. Prints its port; writes each mail into
FOLDER as it came, after lines with its envelope. With a certificate it wants STARTTLS first."""
import asyncio
import os
import ssl
import sys
from pathlib import Path

from aiosmtpd.smtp import SMTP


class Keep:
    def __init__(self, folder):
        self.folder, self.count = Path(folder), 0

    async def handle_DATA(self, server, session, envelope):
        self.count += 1
        lines = [f"X-Mail-Args: <{envelope.mail_from}> {' '.join(envelope.mail_options)}"]
        lines += [f"X-Rcpt-Args: <{address}>" for address in envelope.rcpt_tos]
        lines.append(f"X-Tls: {'yes' if session.ssl else 'no'}")
        unfinished = self.folder / ".unfinished"
        unfinished.write_bytes("".join(line + "\r\n" for line in lines).encode() + envelope.original_content)
        os.rename(unfinished, self.folder / f"mail.{self.count}")
        return f"250 2.0.0 Ok: queued as {self.count}"


async def serve(folder, identity):
    tls = None
    if identity:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(*identity)
    keep, loop = Keep(folder), asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(keep, hostname="localhost", enable_SMTPUTF8=True, tls_context=tls, require_starttls=tls is not None,
                     loop=loop), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(serve(sys.argv[1], sys.argv[2:4]))
