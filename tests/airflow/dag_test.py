"""What the DAG declares and how its task ends, with stand-ins for the few names it takes from Airflow: Airflow itself is not
here, so that its scheduler takes the file is not shown by this. Run by tests/unit/airflow_module_test.cpp.
"""
import importlib.util
import json
import sys
import types
import unittest
from datetime import timedelta
from unittest import mock

from scripted_web import AIRFLOW, ScriptedWeb, answer, batch, token

import eilbote_dispatch


class FailException(Exception):
    pass


class Declared:
    """Collects what the decorators are given. Arguments that Airflow 3 no longer knows are refused, as it does."""

    def __init__(self):
        self.dags, self.tasks = [], []
        self.connection = None

    def dag(self, **arguments):
        assert "schedule_interval" not in arguments
        self.dags.append(arguments)
        return lambda function: function

    def task(self, **arguments):
        def decorate(function):
            self.tasks.append((arguments, function))
            return lambda: None  # at parse time a task is wired, not run
        return decorate

    def modules(self, version):
        """The import surface of this version: 2 has no airflow.sdk, 3.0 no airflow.sdk.exceptions."""
        hook = types.SimpleNamespace(get_connection=lambda name: self.connection if name == "eilbote" else None)
        surface = {"airflow": {}, "airflow.exceptions": {"AirflowFailException": FailException}}
        if version == "2.9":
            surface["airflow.decorators"] = {"dag": self.dag, "task": self.task}
            surface["airflow.hooks"] = {}
            surface["airflow.hooks.base"] = {"BaseHook": hook}
        else:
            surface["airflow.sdk"] = {"dag": self.dag, "task": self.task, "BaseHook": hook}
        if version == "3.1":
            surface["airflow.sdk.exceptions"] = {"AirflowFailException": FailException}
            del surface["airflow.exceptions"]
        made = {}
        for name, members in surface.items():
            made[name] = types.ModuleType(name)
            made[name].__path__ = []
            made[name].__dict__.update(members)
        return made


def load(version):
    declared = Declared()
    spec = importlib.util.spec_from_file_location("dag_under_test", AIRFLOW / "dags" / "eilbote_dispatch_dag.py")
    with mock.patch.dict(sys.modules, declared.modules(version)):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    return declared


class Dag(unittest.TestCase):
    def test_declares_the_same_for_every_version(self):
        pools = json.loads((AIRFLOW / "pools.json").read_text())
        for version in ("2.9", "3.0", "3.1"):
            with self.subTest(version):
                declared = load(version)
                (dag,), ((task, _),) = declared.dags, declared.tasks
                self.assertEqual((dag["schedule"], dag["catchup"], dag["max_active_runs"]), ("* * * * *", False, 1))
                self.assertIsNotNone(dag["start_date"].tzinfo)
                self.assertIn(task["pool"], pools)
                self.assertLessEqual(task["pool_slots"], pools[task["pool"]]["slots"])
                self.assertEqual(task["retries"], 2)
                budget = timedelta(seconds=eilbote_dispatch.Settings.budget_seconds)
                self.assertLess(budget, task["execution_timeout"])
                self.assertLess(task["execution_timeout"], timedelta(minutes=1))
                all_tries = (task["retries"] + 1) * task["execution_timeout"] + task["retries"] * task["retry_delay"]
                self.assertLess(all_tries, dag["dagrun_timeout"])

    def run_task(self, tokens, batches):
        declared = load("3.1")
        with ScriptedWeb(tokens, batches) as web:
            declared.connection = types.SimpleNamespace(
                host=web.url, port=None, schema=None, login="airflow", password="airflow-secret",
                extra_dejson={"token_url": web.url + "/token"})
            return declared.tasks[0][1]()

    def test_its_task_returns_counts_and_no_token(self):
        told = self.run_task([token("a-token-of-the-issuer")], [batch("SENT", "SENT"), batch()])
        self.assertEqual((told["dispatched"], told["complete"]), (2, True))
        self.assertNotIn("a-token-of-the-issuer", json.dumps(told))

    def test_its_task_fails_for_good_only_when_another_try_would_not_help(self):
        with self.assertRaisesRegex(FailException, "ScopeMissing: .*mailer.worker"):
            self.run_task([token()], [answer(403)])
        with self.assertRaises(eilbote_dispatch.Busy):
            self.run_task([token()], [answer(429, Retry_After="600")])


if __name__ == "__main__":
    unittest.main()
