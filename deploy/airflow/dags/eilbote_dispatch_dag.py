"""Airflow DAG: every minute Eilbote delivers the mails that are due. For EILBOTE_DISPATCH=triggered; harmless otherwise.

For Airflow 2.9 and later, and 3. All it does is in eilbote_dispatch.py, which lies beside it or in the plugins folder. Needs
the connection `eilbote` and the pool `eilbote-dispatch` (pools.json): a task whose pool does not exist is never started.
"""
from __future__ import annotations

from datetime import datetime, timedelta, timezone

import eilbote_dispatch

try:  # Airflow 3
    from airflow.sdk import dag, task
except ImportError:  # Airflow 2
    from airflow.decorators import dag, task
try:  # Airflow 3
    from airflow.sdk import BaseHook
except ImportError:
    from airflow.hooks.base import BaseHook
try:  # Airflow 3.1
    from airflow.sdk.exceptions import AirflowFailException
except ImportError:
    from airflow.exceptions import AirflowFailException

CONNECTION = "eilbote"
POOL = "eilbote-dispatch"


@dag(dag_id="eilbote-dispatch", schedule="* * * * *", start_date=datetime(2024, 1, 1, tzinfo=timezone.utc), catchup=False,
     max_active_runs=1, dagrun_timeout=timedelta(minutes=5), tags=["eilbote", "mail"], doc_md=__doc__)
def eilbote_dispatch_dag():
    # The token is fetched and used inside the one task: what is handed from task to task lies in Airflow's database in the
    # clear. The timeout is a little over the module's own budget (45 s), and all tries fit into dagrun_timeout.
    @task(pool=POOL, pool_slots=1, retries=2, retry_delay=timedelta(seconds=20), execution_timeout=timedelta(seconds=50))
    def dispatch_due():
        try:
            settings = eilbote_dispatch.settings_of(BaseHook.get_connection(CONNECTION))
            return eilbote_dispatch.run(settings).as_dict()
        except eilbote_dispatch.DispatchError as error:
            if error.retryable:
                raise
            # Another try would be answered the same: the task fails at once, and somebody is told.
            raise AirflowFailException(f"{type(error).__name__}: {error}") from error

    dispatch_due()


eilbote_dispatch_dag()
