"""The figures of ./dev bench store: what a job costs the database, what a long queue, a long history and a long transaction cost, and
whether everything acknowledged is there after kill -9. A is here; the others have a file each."""
import statistics
from dataclasses import dataclass

import durability
import history
import waiting
from figures import figure
from parts import say
from peers import PeersBench

WAL_BYTES = 2500


@dataclass(frozen=True)
class Scale:
    jobs: int            # of one drain
    at_once: int         # taken in and delivered at the same time
    warm_up: int
    queued: int          # while memory and the start are measured
    finished: int        # rows in the history
    future: int          # rows that are not due for days
    hold_seconds: int    # a transaction is open before the drain
    acknowledged: int    # mails before kill -9
    seconds: int
    rounds: int
    quick: bool


SCALES = {"full": Scale(jobs=50_000, at_once=50_000, warm_up=5_000, queued=1_000_000, finished=10_000_000, future=1_000_000,
                        hold_seconds=600, acknowledged=20_000, seconds=20, rounds=5, quick=False),
          "quick": Scale(jobs=10_000, at_once=10_000, warm_up=2_000, queued=100_000, finished=500_000, future=50_000,
                         hold_seconds=30, acknowledged=5_000, seconds=5, rounds=3, quick=True),
          "smoke": Scale(jobs=1_000, at_once=1_000, warm_up=500, queued=5_000, finished=10_000, future=1_000, hold_seconds=2,
                         acknowledged=500, seconds=1, rounds=1, quick=True)}


def largest(by_record):
    return ", ".join(f"{kind} {count}" for kind, count in list(by_record.items())[:4])


class StoreBench(PeersBench):
    LETTERS = "ABCDEF"

    def figures(self, letters):
        figures = []
        if "A" in letters:
            figures.append(self.wal_bytes())
        if set(letters) & set("BC"):
            figures += waiting.figures(self, letters)
        if "D" in letters:
            figures += history.beside_rows(self)
        if "E" in letters:
            figures.append(history.beside_a_transaction(self))
        if "F" in letters:
            figures += durability.figures(self)
        return figures

    # ---- A: what PostgreSQL writes for a job ----

    def wal_bytes(self):
        say(f"A: WAL of {self.scale.at_once:,} jobs, taken in and delivered at the same time")
        rounds = [self.at_once_by_us() for _ in range(self.rounds)]
        measured = [one for one in rounds if one["walBytes"] is not None]
        value = statistics.median(one["walBytes"] for one in measured)
        middle = min(measured, key=lambda one: abs(one["walBytes"] - value))
        return figure("A", "WAL bytes per delivered 1 KB job, postgresql", value, WAL_BYTES, value <= WAL_BYTES, "B", counts="WAL",
                      note=f"{middle['commits']} commits per job, accept and settle; {middle['walPageBytes']} bytes of whole pages"
                           f" are not counted; {middle['perSecond']:,.0f} jobs/s; most by"
                           f" {largest(middle['walByRecord'])}", contestants={"eilbote": middle}, rounds=rounds)
