"""The figures of ./dev bench limits: how close a drain comes to what its parts can do without it. y: PostgreSQL beside the same life of a
job in SQL alone; z: SQLite beside libcurl that POSTs to the same nginx and keeps no record."""
import json
import statistics

import sql_cycle
from figures import figure
from parts import run, say
from peers import OURS, POOL, PeersBench, rows_of

TARGETS = {"y": 0.5, "z": 0.6}
SQL, CURL = "SQL alone", "libcurl alone"


class LimitsBench(PeersBench):
    LETTERS = "yz"

    def figures(self, letters):
        figures = []
        if "y" in letters:
            say(f"y: {self.scale.jobs:,} jobs, beside the same statements without a program")
            figures.append(self.limit("y", "postgresql", SQL, self.by_sql))
        if "z" in letters:
            say(f"z: {self.scale.jobs:,} jobs, beside libcurl without a queue")
            figures.append(self.limit("z", "sqlite", CURL, self.by_curl))
        return figures

    def limit(self, letter, store, name, other):
        rounds = self.compete({OURS: lambda: self.by_us(store), name: other})
        own, most = (statistics.median(one["perSecond"] for one in rounds[who]) for who in (OURS, name))
        twice = sum(one["deliveredTwice"] for one in rounds[OURS])
        return figure(letter, f"webhooks delivered/s on {store}, 1 KB ÷ {name}", round(own / most, 2), TARGETS[letter],
                      not twice and own / most >= TARGETS[letter], "ratio", own=rows_of(rounds)[OURS], store=store,
                      note=f"{own:,.0f}/s ÷ {most:,.0f}/s" + (f"; {twice} DELIVERED TWICE" if twice else ""),
                      contestants=rows_of(rounds), rounds=rounds)

    def by_sql(self):
        jobs = self.scale.jobs
        with self.fresh("postgresql") as server:
            server.make_pool(POOL, concurrency=1000)
            # Its rows on record are what SQL writes as well.
            self.warm_up(server, POOL, self.nginx.url())
            server.hand_in(jobs, self.nginx.url(), POOL)
        database = server.folder.name
        lane, sample = sql_cycle.prepare(self.postgres, database)
        self.settled(database)
        with self.costs() as costs:
            seconds = sql_cycle.drain(self.postgres, database, lane, sample, self.folder, jobs)
        sql_cycle.must_be_drained(self.postgres, database, jobs)
        self.discard(server)
        return costs.columns(jobs, seconds)

    def by_curl(self):
        jobs, taken = self.scale.jobs, self.nginx.taken()
        with self.costs() as costs:
            # As many bytes as a job's payload has.
            said = json.loads(run([self.programs.curl_loop, "--url", self.nginx.url(), "--requests", str(jobs)]))
            self.nginx.wait_for(taken + jobs, 10)
        costs.spent["libcurl"] = said["cpuSeconds"]
        return costs.columns(jobs, said["seconds"])
