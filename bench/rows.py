"""Fills a store with many rows by SQL: copies the rows of one real mail or webhook job, all tables, with ids and times moved back step
by step. What comes out is what the engine itself would have written, whatever columns the schema has."""
import sqlite3
from concurrent.futures import ThreadPoolExecutor

from parts import say

# The tables a job has rows in, with the column that holds its id. Search facets are left out: nothing on the way of a
# mail that is accepted already reads or writes them.
TABLES = {"outbox": "id", "messages": "id", "attempts": "job_id", "recipients": "job_id", "webhooks": "id"}
POSTGRES_TABLES = {**TABLES, "status_changes": "job_id"}
SQLITE_TABLES = {**TABLES, "mail_status": "job_id"}
CHUNK = 250_000
ID_MILLIS = 22  # an id is milliseconds << 22


def copy_in_postgres(postgres, database, mail_id, count, step_millis):
    """`count` copies of the mail `mail_id`, each `step_millis` older than the one before."""
    columns = {}
    for table, name, kind, identity in postgres.sql(
            database, "SELECT table_name, column_name, data_type, is_identity FROM information_schema.columns"
                      " WHERE table_schema = 'public' ORDER BY table_name, ordinal_position;"):
        if table in POSTGRES_TABLES and identity == "NO":
            columns.setdefault(table, []).append((name, kind))
    def fill(table):
        key = POSTGRES_TABLES[table]
        names = ", ".join(name for name, _ in columns[table])
        values = ", ".join(_postgres_value(name, kind, key, step_millis) for name, kind in columns[table])
        # Newest last, and so in the order of the ids, as the engine writes them.
        for last in range(count, 0, -CHUNK):
            first = max(1, last - CHUNK + 1)
            postgres.sql(database, f"SET synchronous_commit = off;"
                                   f"INSERT INTO {table} ({names}) SELECT {values} FROM {table} t,"
                                   f" generate_series({last}::bigint, {first}, -1) g WHERE t.{key} = {mail_id};")
        say(f"    {table}: {count:,} times the rows of one job")

    with ThreadPoolExecutor(max_workers=2) as workers:
        list(workers.map(fill, POSTGRES_TABLES))  # list: a failure is raised here
    postgres.sql(database, "VACUUM (ANALYZE);")


def _postgres_value(name, kind, key, step):
    if name == key:
        return f"t.{name} - ((g * {step}) << {ID_MILLIS})"
    if kind == "timestamp with time zone":
        return f"t.{name} - g * interval '{step} milliseconds'"
    return f"t.{name}"


def copy_in_sqlite(path, mail_id, count, step_millis):
    """The same on SQLite, while no server has it open."""
    with sqlite3.connect(path, isolation_level=None) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA cache_size = -200000")
        for table, key in SQLITE_TABLES.items():
            names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            rows = db.execute(f"SELECT {', '.join(names)} FROM {table} WHERE {key} = ?", (mail_id,)).fetchall()
            values = ", ".join(_sqlite_value(n, name, key, step_millis) for n, name in enumerate(names, 1))
            insert = (f"WITH RECURSIVE g(n) AS (SELECT ?{len(names) + 1} UNION ALL SELECT n + 1 FROM g"
                      f" WHERE n < ?{len(names) + 2})"
                      f" INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM g ORDER BY n DESC")
            for last in range(count, 0, -CHUNK):
                for row in rows:
                    db.execute(insert, (*row, max(1, last - CHUNK + 1), last))
            say(f"    {table}: {count:,} times the rows of one job")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def _sqlite_value(n, name, key, step):
    if name == key:
        return f"?{n} - ((n * {step}) << {ID_MILLIS})"
    if name == "at" or name.endswith("_at"):
        return f"?{n} - n * {step * 1000}"
    return f"?{n}"


def sqlite_value(path, query):
    """The one value of a query."""
    db = sqlite3.connect(path)
    try:
        return db.execute(query).fetchone()[0]
    finally:
        db.close()
