"""Stands before an SMTP server and holds each of its answers back for a while, one after the other, as a relay does that
thinks about each command: python3 slow_answers.py PORT SERVER_PORT MILLISECONDS."""
import asyncio
import signal
import sys


def split_answers(text):
    """(whole answers, the rest): an answer ends with the line that has no hyphen behind its code."""
    answers, begin = [], 0
    at = 0
    while (end := text.find(b"\n", at)) >= 0:
        if text[at + 3:at + 4] != b"-":
            answers.append(text[begin:end + 1])
            begin = end + 1
        at = end + 1
    return answers, text[begin:]


async def pass_on(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def pass_on_slowly(reader, writer, seconds):
    rest = b""
    while data := await reader.read(65536):
        answers, rest = split_answers(rest + data)
        for answer in answers:
            await asyncio.sleep(seconds)
            writer.write(answer)
            await writer.drain()
    writer.close()


async def serve(port, server_port, seconds):
    async def connected(client_in, client_out):
        server_in, server_out = await asyncio.open_connection("127.0.0.1", server_port)
        # A side that hangs up ends both ways.
        ways = [asyncio.ensure_future(pass_on(client_in, server_out)),
                asyncio.ensure_future(pass_on_slowly(server_in, client_out, seconds))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        for out in (client_out, server_out):
            out.close()

    server = await asyncio.start_server(connected, "127.0.0.1", port, backlog=1000)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) / 1000))
