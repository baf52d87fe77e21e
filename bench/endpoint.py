"""An endpoint for webhooks that can be slow: python3 endpoint.py PORT SECONDS. On 127.0.0.1 and 127.0.0.2:
POST /take is answered at once, and the time since the `due` in its body (CLOCK_MONOTONIC, ns) is kept; POST /hold is
answered after SECONDS; GET /seen tells; POST /release answers everything that is held, and from then on at once."""
import asyncio
import json
import signal
import sys
import time

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Book:
    """What this endpoint has seen, and whom it keeps waiting."""

    def __init__(self, hold_seconds):
        self.hold_seconds = hold_seconds
        self.latencies_ms, self.held, self.held_max, self.answered = [], {}, 0, 0

    def take(self, body, at):
        self.latencies_ms.append((at - json.loads(body)["due"]) / 1e6)

    def hold(self, connection):
        timer = asyncio.get_running_loop().call_later(self.hold_seconds, self.let_go, connection)
        self.held[connection] = timer
        self.held_max = max(self.held_max, len(self.held))

    def let_go(self, connection):
        if timer := self.held.pop(connection, None):
            timer.cancel()
            self.answered += 1
            connection.answer(OK)

    def release(self):
        self.hold_seconds = 0
        for connection in list(self.held):
            self.let_go(connection)

    def gone(self, connection):
        if timer := self.held.pop(connection, None):
            timer.cancel()

    def seen(self):
        return {"latenciesMillis": self.latencies_ms, "taken": len(self.latencies_ms), "held": len(self.held),
                "heldMax": self.held_max, "answered": self.answered}


class Connection(asyncio.Protocol):
    """As much of HTTP/1.1 as a client with Content-Length needs; one request after the other."""

    def __init__(self, book):
        self.book, self.buffer, self.transport = book, b"", None

    def connection_made(self, transport):
        self.transport = transport

    def connection_lost(self, error):
        self.book.gone(self)

    def answer(self, data):
        self.transport.write(data)

    def data_received(self, data):
        at = time.monotonic_ns()
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            length = 0
            if (found := head.find(b"content-length:")) >= 0:
                length = int(head[found + 15:].split(b"\r\n", 1)[0])
            if len(self.buffer) < end + 4 + length:
                return
            body, self.buffer = self.buffer[end + 4:end + 4 + length], self.buffer[end + 4 + length:]
            self.requested(head.split(b" ", 2)[1], body, at)

    def requested(self, path, body, at):
        if path == b"/hold":
            self.book.hold(self)
            return
        text = b""
        if path == b"/take":
            self.book.take(body, at)
        elif path == b"/seen":
            text = json.dumps(self.book.seen()).encode()
        elif path == b"/release":
            self.book.release()
        self.answer(OK if not text else b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text))


async def serve(port, hold_seconds):
    book = Book(hold_seconds)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(book), ["127.0.0.1", "127.0.0.2"], port,
                                                            backlog=4096)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2])))
