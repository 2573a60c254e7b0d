"""Options: who wins, and what a wrong one says."""

import pytest

from prospector import env
from prospector.errors import SettingInvalid


def test_a_malformed_value_is_refused_by_name_value_and_expectation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKERS", "many")

    with pytest.raises(SettingInvalid, match=r"WORKERS \(environment\): 'many' is not a whole number from 1 to 64"):
        env.integer("WORKERS", 4, least=1, most=64)


def test_a_malformed_secret_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_URL", "http//user:hunter2@host")

    with pytest.raises(SettingInvalid) as caught:
        env.url("SOME_URL", None, ("http",))

    assert "hunter2" not in str(caught.value)
