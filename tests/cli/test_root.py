"""What every command shares: help, near misses, endings. The real command line, as a process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from cli.command import Command, Group
from cli.main import COMMANDS, prospector

CLONE = Path(__file__).parents[2]


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "cli", *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def every_command(group: click.Group, path: str = "") -> list[tuple[str, click.Command]]:
    found: list[tuple[str, click.Command]] = []
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command
        found.append((f"{path}{name}", command))
        if isinstance(command, click.Group):
            found += every_command(command, f"{path}{name} ")
    return found


def test_every_command_has_help_with_an_example_and_takes_debug() -> None:
    for path, command in every_command(prospector):
        assert "Example" in (command.help or ""), path
        assert f"prospector {path.split()[0]}" in (command.help or ""), path
        assert isinstance(command, Group | Command), path


def test_every_table_entry_is_the_command_of_its_name() -> None:
    assert {name: command.name for name, command in every_command(prospector) if name in COMMANDS} == {
        name: name for name in COMMANDS
    }


def test_to_know_a_command_is_to_load_none_of_what_it_works_with() -> None:
    """A help, a completion and a misspelt option are answered in a tenth of a second."""
    heavy = ("sqlalchemy", "psycopg2", "redis", "scrapy", "twisted", "boto3", "lxml")
    program = (
        "import sys; from tests.cli.test_root import every_command, prospector; every_command(prospector);"
        f"print(*(one for one in {heavy} if one in sys.modules))"
    )

    done = subprocess.run([sys.executable, "-c", program], cwd=CLONE, capture_output=True, text=True, timeout=60)

    assert (done.stdout.strip(), done.stderr) == ("", "")


def test_a_near_miss_is_answered_with_the_right_name() -> None:
    done = run("confg", "show")

    assert done.returncode == 2
    assert "There is no command 'confg'. Did you mean config?" in done.stderr
    assert done.stdout == ""


def test_the_beginning_of_a_name_is_nearer_than_another_name() -> None:
    assert "Did you mean queue-status?" in run("system", "queue").stderr  # and not requeue


def test_no_line_of_help_is_cut() -> None:
    groups = [one for _, one in every_command(prospector) if isinstance(one, click.Group)]

    assert groups
    for group in groups:
        assert "..." not in group.get_help(click.Context(group)).partition("Commands:")[2], group.name


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("job", "run", "--max-credits", "5.000"), "'5.000' is not a whole number. Write it in figures alone, as in 5000."),
        (("job", "run", "--max-credits", "-1"), "-1 is too small: at least 0."),
        (("demo", "--sites", "9000"), "9,000 is too large: at most 2,000."),
    ],
)  # fmt: skip
def test_a_number_that_cannot_be_used_is_told_in_words(words: tuple[str, ...], said: str) -> None:
    done = run(*words)

    assert done.returncode == 2
    assert said in done.stderr


def test_a_mistaken_option_is_answered_with_the_right_one() -> None:
    done = run("config", "show", "--jsn")

    assert done.returncode == 2
    assert "--json" in done.stderr


def test_without_words_the_help_is_shown() -> None:
    done = run()

    assert "Commands:" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_config_show_names_the_origin_of_every_option(tmp_path: Path) -> None:
    done = run("--set", "LOG_STYLE=text", "config", "show", "--json", LOG_LEVEL="debug")

    shown = json.loads(done.stdout)
    assert shown["LOG_STYLE"] == {"value": "text", "origin": "flag"}
    assert shown["LOG_LEVEL"] == {"value": "debug", "origin": "environment"}
    assert shown["PROSPECTOR_HOME"]["origin"] in {"default", "environment"}


def test_config_show_names_the_file_in_force_or_where_it_would_be(tmp_path: Path) -> None:
    mine = tmp_path / "prospector" / "prospector.toml"
    without = run("config", "show", XDG_CONFIG_HOME=str(tmp_path))
    mine.parent.mkdir()
    mine.write_text("delay_ms = 2000\n", encoding="utf-8")

    found = run("config", "show", XDG_CONFIG_HOME=str(tmp_path))

    assert f"none in force (yours would be {mine})" in without.stdout
    assert str(tmp_path) in found.stdout.splitlines()[-1]
    assert "none in force" not in found.stdout


def test_a_folder_from_elsewhere_can_neither_run_a_program_nor_send_the_key_away(tmp_path: Path) -> None:
    for line in ('redis_program = "./theirs"', 'scrapingbee_api_url = "https://elsewhere.example/"'):
        (tmp_path / "prospector.toml").write_text(line, encoding="utf-8")

        done = subprocess.run(
            [sys.executable, "-P", "-m", "cli", "config", "show"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(CLONE), "XDG_CONFIG_HOME": str(tmp_path / "mine")},
            capture_output=True,
            text=True,
            timeout=120,
        )

        assert done.returncode == 3
        assert f"{line.split()[0].upper()} may not be set in the prospector.toml of a working folder" in done.stderr
        assert str(tmp_path / "mine" / "prospector" / "prospector.toml") in done.stderr


@pytest.mark.parametrize(
    ("words", "environment", "says", "code"),
    [
        (("config", "show"), {"LOG_LEVEL": "loud"}, "LOG_LEVEL (environment): 'loud' is not one of: debug, info", 3),
        (
            ("--set", "LOG_LEVL=info", "config", "show"),
            {},
            "Unknown option LOG_LEVL (flag). Did you mean LOG_LEVEL?",
            3,
        ),
        (("--set", "LOG_LEVEL", "config", "show"), {}, "write it as NAME=VALUE", 2),
        (("--set", "=info", "config", "show"), {}, "write it as NAME=VALUE", 2),
        (("completion", "csh"), {}, "'bash', 'zsh', 'fish'", 2),
    ],
)
def test_a_mistake_is_one_clear_line_and_its_exit_code(
    words: tuple[str, ...], environment: dict[str, str], says: str, code: int
) -> None:
    done = run(*words, **environment)

    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert (done.returncode, done.stdout) == (code, "")


def test_debug_shows_the_traceback_wherever_it_stands() -> None:
    done = run("config", "show", "--debug", LOG_LEVEL="loud")

    assert "Traceback" in done.stderr
    assert done.returncode == 3


def test_a_wrong_setting_ends_scrapy_too_with_its_words_and_code() -> None:
    scrapy = Path(sys.executable).with_name("scrapy")

    done = subprocess.run(
        [scrapy, "crawl", "environment"],
        env={**os.environ, "LOG_LEVEL": "loud", "SCRAPY_SETTINGS_MODULE": "prospector.settings"},
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert done.returncode == 3
    assert done.stderr.startswith("LOG_LEVEL (environment): 'loud'")
    assert "Traceback" not in done.stderr


def test_no_colour_leaves_no_escape_codes() -> None:
    done = run("config", "show", NO_COLOR="1", FORCE_COLOR="1")

    assert "\x1b" not in done.stdout


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = f"{sys.executable} -P -m cli config show | head -n 1; exit ${{PIPESTATUS[0]}}"

    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_completion_script_for_both_names(shell: str) -> None:
    done = run("completion", shell)

    assert "_PROSPECTOR_COMPLETE" in done.stdout
    assert done.returncode == 0


def test_completion_completes() -> None:
    done = run(_PROSPECTOR_COMPLETE="bash_complete", COMP_WORDS="prospector con", COMP_CWORD="1")

    assert done.stdout.strip() == "plain,config"


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["job", "--help"],
        ["config", "show"],  # a table
        ["config", "show", "--json"],
        ["demo", "truth", "keywords", "--sites", "5"],  # lines that wait in Python's own buffer until the end
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("with_words", [False, True], ids=["output", "output and words"])
def test_a_reader_that_has_seen_enough_ends_a_command_without_a_word(words: list[str], with_words: bool) -> None:
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run(
        [sys.executable, "-P", "-m", "cli", *words],
        stdout=writing,
        stderr=writing if with_words else subprocess.PIPE,
        text=True,
        timeout=60,
    )

    os.close(writing)
    assert done.returncode == 141  # 128 + SIGPIPE, as of any program in a shell's pipe
    assert not done.stderr


def test_an_error_that_nobody_reads_ends_as_quietly() -> None:
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run([sys.executable, "-P", "-m", "cli", "confg"], stderr=writing, timeout=60)

    os.close(writing)
    assert done.returncode == 141


@pytest.mark.parametrize("words", ["completion bash", "config show", "config show --json", "--help"])
@pytest.mark.parametrize("closed", [">&-", "<&- >&-"])
def test_a_command_whose_output_is_closed_does_its_work(words: str, closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$1" -P -m cli {words} {closed}', "sh", sys.executable],
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_a_command_whose_words_nobody_hears_ends_with_the_same_code() -> None:
    done = subprocess.run(["sh", "-c", '"$1" -P -m cli confg >&- 2>&-', "sh", sys.executable], timeout=60)

    assert done.returncode == 2


def test_a_letter_that_the_terminal_does_not_know_is_no_error() -> None:
    name = "Müller \N{CJK UNIFIED IDEOGRAPH-65E5}"

    shown = run("config", "show", NODE_NAME=name, PYTHONIOENCODING="ascii")
    as_json = run("config", "show", "--json", NODE_NAME=name, PYTHONIOENCODING="ascii")

    assert (shown.returncode, shown.stderr) == (0, "")
    assert json.loads(as_json.stdout)["NODE_NAME"]["value"] == name


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
@pytest.mark.parametrize("words", [["config", "show"], ["demo", "truth", "keywords", "--sites", "5"]], ids=" ".join)
def test_an_output_on_a_full_disk_is_said_in_one_line(words: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "cli", *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )

    assert done.returncode == 3
    assert done.stderr.startswith("This machine does not allow it: No space left on device. Free some space")
    assert done.stderr.count("\n") == 1
