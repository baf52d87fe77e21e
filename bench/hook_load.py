"""Hands webhook jobs to Eilbote at a fixed rate, an open loop: python3 hook_load.py PORT POOL TARGET_URL RATE SECONDS.
The payload of each has the time at which it was due (CLOCK_MONOTONIC, ns), so that the endpoint can tell how long it took
from there, a stall of the server or of this program included. Prints one JSON object."""
import asyncio
import json
import sys
import time

CONNECTIONS = 32


async def post(reader, writer, body):
    writer.write(b"POST /dispatch-jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d"
                 b"\r\n\r\n%s" % (len(body), body))
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
    await reader.readexactly(length)
    return int(head.split(b" ", 2)[1])


async def hand_in(port, queue, job, result):
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    while (due := await queue.get()) is not None:
        body = json.dumps({**job, "payload": json.dumps({"due": due})}).encode()
        status = await post(reader, writer, body)
        result["accepted" if status == 201 else "errors"] += 1
    writer.close()


async def run(port, pool, url, rate, seconds):
    job = {"source": "bench", "code": "bench:latency", "targetUrl": url, "dispatchPoolId": pool}
    result, queue = {"accepted": 0, "errors": 0, "lateMillisMax": 0.0}, asyncio.Queue()
    hands = [asyncio.create_task(hand_in(port, queue, job, result)) for _ in range(CONNECTIONS)]
    began = time.monotonic_ns()
    for n in range(int(rate * seconds)):
        due = began + int(n * 1e9 / rate)
        if (wait := due - time.monotonic_ns()) > 0:
            await asyncio.sleep(wait / 1e9)
        result["lateMillisMax"] = max(result["lateMillisMax"], (time.monotonic_ns() - due) / 1e6)
        queue.put_nowait(due)
    for _ in hands:
        queue.put_nowait(None)
    await asyncio.gather(*hands)
    result["cpuSeconds"] = time.process_time()
    return result


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(int(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4]), float(sys.argv[5])))))
