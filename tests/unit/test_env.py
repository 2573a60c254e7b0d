"""Options: who wins, what a wrong one says, and what is never shown."""

import os
from collections.abc import Callable, Iterator
from ipaddress import ip_network
from pathlib import Path

import pytest

from prospector import env
from prospector.errors import EnvironmentInvalid, SettingInvalid


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty one, with no configuration of the user's, and the options read so far put back afterwards."""
    read_before = dict(env.READ)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(env.FLAGS_VARIABLE, raising=False)
    monkeypatch.delenv(env.FOLDER_VARIABLE, raising=False)
    env._file.cache_clear()
    yield tmp_path
    env._file.cache_clear()
    env.READ.clear()
    env.READ.update(read_before)


def test_the_environment_beats_the_file_which_beats_the_default(
    working_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (working_folder / "prospector.toml").write_text("workers = 8\npatience = 5\n")
    monkeypatch.setenv("WORKERS", "16")

    assert [env.integer(name, 1) for name in ("WORKERS", "PATIENCE", "DEPTH")] == [16, 5, 1]
    assert [env.READ[name].origin for name in ("WORKERS", "DEPTH")] == ["environment", "default"]
    assert env.READ["PATIENCE"].origin.endswith("prospector.toml")


def test_a_flag_is_named_as_the_origin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKERS", "16")
    monkeypatch.setenv(env.FLAGS_VARIABLE, ",WORKERS")

    env.integer("WORKERS", 1)

    assert env.READ["WORKERS"].origin == "flag"


def test_the_working_folder_s_file_is_read_before_the_user_s(working_folder: Path) -> None:
    user_file = working_folder / "config" / "prospector" / "prospector.toml"
    user_file.parent.mkdir(parents=True)
    user_file.write_text("workers = 2\n")
    assert env.integer("WORKERS", 1) == 2

    env._file.cache_clear()
    (working_folder / "prospector.toml").write_text("workers = 3\n")

    assert env.integer("WORKERS", 1) == 3


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKERS", " ")

    assert env.integer("WORKERS", 7) == 7


def test_a_malformed_value_is_refused_by_name_origin_and_expectation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKERS", "many")

    with pytest.raises(SettingInvalid, match=r"WORKERS \(environment\): 'many' is not a whole number from 1 to 64"):
        env.integer("WORKERS", 4, least=1, most=64)


@pytest.mark.parametrize("raw", ["0", "65", "1.5", "1e2", "0x10"])
def test_numbers_outside_their_range_or_form_are_refused(monkeypatch: pytest.MonkeyPatch, raw: str) -> None:
    monkeypatch.setenv("WORKERS", raw)

    with pytest.raises(SettingInvalid, match="WORKERS"):
        env.integer("WORKERS", 4, least=1, most=64)


def test_a_choice_is_read_in_any_case_and_refused_with_the_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEVEL", "INFO")
    assert env.choice("LEVEL", "debug", ("debug", "info")) == "info"

    monkeypatch.setenv("LEVEL", "loud")

    with pytest.raises(SettingInvalid, match="one of: debug, info"):
        env.choice("LEVEL", "debug", ("debug", "info"))


def test_lists_may_be_written_as_toml_lists_or_with_commas(
    working_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env.user_file().parent.mkdir(parents=True)
    env.user_file().write_text('open = ["10.0.0.0/8", "127.1.0.0/16"]\n')
    monkeypatch.setenv("NODES", "http://a:6800, https://b")

    assert env.networks("OPEN") == (ip_network("10.0.0.0/8"), ip_network("127.1.0.0/16"))
    assert env.urls("NODES", ("http", "https")) == ("http://a:6800", "https://b")


@pytest.mark.parametrize("raw", ["10.0.0.1/8", "everything", "300.0.0.0/8"])
def test_networks_that_are_none_are_refused(monkeypatch: pytest.MonkeyPatch, raw: str) -> None:
    monkeypatch.setenv("OPEN", raw)

    with pytest.raises(SettingInvalid, match="OPEN"):
        env.networks("OPEN")


def test_a_folder_is_made_absolute_and_knows_the_home(monkeypatch: pytest.MonkeyPatch, working_folder: Path) -> None:
    monkeypatch.setenv("HOME", str(working_folder))
    monkeypatch.setenv("PLACE", "~/data")

    assert env.folder("PLACE", Path("/")) == working_folder / "data"


READERS_OF_WHAT_IS_THE_USER_S = {
    "a program": lambda: env.program("PLACE"),
    "a folder": lambda: env.folder("PLACE", Path("/")),
    "a URL": lambda: env.url("PLACE", None, ("https",)),
    "URLs": lambda: env.urls("PLACE", ("https",)),
    "networks": lambda: env.networks("PLACE"),
    "routes": lambda: env.routes("PLACE"),
}


@pytest.mark.parametrize("read", READERS_OF_WHAT_IS_THE_USER_S.values(), ids=READERS_OF_WHAT_IS_THE_USER_S)
def test_what_is_run_and_where_secrets_go_is_not_taken_from_the_working_folder(
    working_folder: Path, read: Callable[[], object]
) -> None:
    (working_folder / "prospector.toml").write_text('place = "https://elsewhere.example/"\n')

    with pytest.raises(
        SettingInvalid, match=r"PLACE may not be set in the prospector\.toml of a working folder"
    ) as caught:
        read()

    assert str(env.user_file()) in str(caught.value)


def test_it_is_taken_from_the_user_s_own_file_even_in_its_folder(
    working_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env.user_file().parent.mkdir(parents=True)
    env.user_file().write_text('place = "https://mine.example/"\n')
    assert env.url("PLACE", None, ("https",)) == "https://mine.example/"

    monkeypatch.chdir(env.user_file().parent)
    env.read_file_again()

    assert env.url("PLACE", None, ("https",)) == "https://mine.example/"


def test_what_the_environment_says_leaves_the_folder_s_word_unread(
    working_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (working_folder / "prospector.toml").write_text('place = "https://elsewhere.example/"\n')
    monkeypatch.setenv("PLACE", "https://mine.example/")

    assert env.url("PLACE", None, ("https",)) == "https://mine.example/"


def test_a_child_reads_the_file_of_the_folder_it_works_for(
    working_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (working_folder / "elsewhere").mkdir()
    (working_folder / "elsewhere" / "prospector.toml").write_text('workers = 4\nplace = "https://e.example/"\n')
    monkeypatch.setenv(env.FOLDER_VARIABLE, str(working_folder / "elsewhere"))

    assert env.integer("WORKERS", 1) == 4
    with pytest.raises(SettingInvalid, match="PLACE may not be set"):
        env.url("PLACE", None, ("https",))


def test_an_unknown_key_in_the_file_is_refused_with_the_nearest_name(working_folder: Path) -> None:
    (working_folder / "prospector.toml").write_text("worker = 8\n")
    env.integer("WORKERS", 1)

    with pytest.raises(SettingInvalid, match=r"Unknown option WORKER .*prospector\.toml.* Did you mean WORKERS\?"):
        env.refuse_unknown()


def test_an_unknown_flag_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(env.FLAGS_VARIABLE, ",ZZZ")

    with pytest.raises(SettingInvalid, match=r"Unknown option ZZZ \(flag\)"):
        env.refuse_unknown()


@pytest.mark.parametrize("content", [b"workers = = 8\n", b"\xff\xfe", b"workers"])
def test_a_file_that_is_no_toml_is_refused_by_path(working_folder: Path, content: bytes) -> None:
    (working_folder / "prospector.toml").write_bytes(content)

    with pytest.raises(SettingInvalid, match=r"prospector\.toml is not valid TOML"):
        env.integer("WORKERS", 1)


@pytest.mark.parametrize(
    "value",
    [
        *("postgresql://h:abc/db", "postgresql://h:70000/db", "postgresql://u:p#1@h/db", "http://", "http://a:b@h:x", "https:/h/x"),
        *("redis://h:xx", "redis://:1", "redis:///0", "unix://socket", "unix:", "s3://", "s3:///prefix", "file://folder/x", "file:x"),
    ],
)  # fmt: skip
def test_a_url_that_leads_nowhere_is_refused_by_name(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    schemes = ("postgresql", "redis", "unix", "http", "https", "s3", "file")
    monkeypatch.setenv("PLACE", value)

    for read in (lambda: env.url("PLACE", None, schemes), lambda: env.urls("PLACE", schemes)):
        with pytest.raises(SettingInvalid, match=r"PLACE \(environment\): its value is not .*whole URL"):
            read()


@pytest.mark.parametrize(
    "value",
    [
        *("postgresql:///db", "postgresql://u:p%23@h:5432/db", "postgresql://u@/db?host=/run/pg", "redis://:p@h:1/0", "unix:///r.sock"),
        *("s3://bucket", "file:///folder%20x", "http://u:p@[::1]:6800", "https://example.com/api/v1/"),
    ],
)  # fmt: skip
def test_a_url_that_leads_somewhere_is_taken_as_it_is(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    schemes = ("postgresql", "redis", "unix", "http", "https", "s3", "file")
    monkeypatch.setenv("PLACE", value)

    assert env.url("PLACE", None, schemes) == value
    assert env.urls("PLACE", schemes) == (value,)


@pytest.mark.parametrize(
    "value", ["9641", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:99999", ":9641", "127.0.0.1:²", "u@h:1", "h:1/x", "::1:9"]
)
def test_an_address_that_is_none_is_refused_by_name(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACE", value)

    with pytest.raises(SettingInvalid, match=rf"PLACE \(environment\): '{value}' is not host:port"):
        env.address("PLACE", "127.0.0.1:1")


@pytest.mark.parametrize(
    "value", ["a.test", "=1.2.3.4", "a.test=", "a.test=somewhere", "a.test=1.2.3.4:port", "a=[::1", "a=1.2.3.4:70000", "a=1.2.3.4/8"]
)  # fmt: skip
def test_a_route_that_leads_nowhere_is_refused_by_name(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYS", f"b.test=127.0.0.1,{value}")

    with pytest.raises(SettingInvalid, match=r"WAYS \(environment\): .*NAME=ADDRESS"):
        env.routes("WAYS")


def test_what_a_name_map_reads_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = ("shop.test=10.0.0.7", "*.test=127.1.0.1:18080", "v6.example=[::1]:80", "w6.example=[::1]")
    monkeypatch.setenv("WAYS", ",".join(ways))

    assert env.routes("WAYS") == ways


def test_a_folder_of_nobody_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLDER", "~nobody-has-this-name/x")

    with pytest.raises(SettingInvalid, match=r"FOLDER \(environment\): '~nobody"):
        env.folder("FOLDER", Path("/"))


def test_a_file_that_begins_with_the_mark_of_windows_editors_is_read(working_folder: Path) -> None:
    (working_folder / "prospector.toml").write_bytes(b"\xef\xbb\xbfworkers = 8\n")

    assert env.integer("WORKERS", 1) == 8


def test_a_folder_that_was_deleted_under_its_user_is_said(working_folder: Path) -> None:
    (working_folder / "gone").mkdir()
    os.chdir(working_folder / "gone")
    (working_folder / "gone").rmdir()

    with pytest.raises(EnvironmentInvalid, match="The folder you are in does not exist any more"):
        env.integer("WORKERS", 1)


def test_a_malformed_secret_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_URL", "http//user:hunter2@host")

    with pytest.raises(SettingInvalid) as caught:
        env.url("SOME_URL", None, ("http",))

    assert "hunter2" not in str(caught.value)


def test_secrets_and_the_passwords_of_urls_are_masked_and_the_rest_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "abcdef")
    monkeypatch.setenv("NODES", "http://u:pass1@a,http://u:pass2@b")
    env.secret("KEY")
    env.urls("NODES", ("http",))

    assert env.shown(env.READ["KEY"]) == env.MASK
    assert env.shown(env.READ["NODES"]) == f"http://u:{env.MASK}@a,http://u:{env.MASK}@b"
    assert {"abcdef", "pass1", "pass2"} <= env.secrets()


def test_reading_leaves_the_environment_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    before = dict(os.environ)

    env.integer("WORKERS", 1)

    assert dict(os.environ) == before
