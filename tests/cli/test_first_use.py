"""bin/prospector on a machine that has nothing but a shell and (perhaps) a Python: the real scripts in a small clone."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

CLONE = Path(__file__).parents[2]
TOOLS = ("sh", "uname", "dirname", "readlink", "cmp", "cat")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The scripts with an empty lock, and a command line that says which environment runs it."""
    shutil.copytree(CLONE / "bin", tmp_path / "bin")
    (tmp_path / "requirements").mkdir()
    shutil.copy(CLONE / "requirements" / "environment.py", tmp_path / "requirements")
    for lock in ("run", "test"):
        (tmp_path / "requirements" / f"{lock}.txt").write_text("# nothing\n")
    (tmp_path / "cli").mkdir()
    (tmp_path / "cli" / "__main__.py").write_text("import sys; print('ran', *sys.argv[1:])")
    (tmp_path / "tools").mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found
        (tmp_path / "tools" / tool).symlink_to(found)
    return tmp_path


def prospector(clone: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [clone / "bin" / "prospector", *words],
        env={"PATH": str(clone / "tools"), "PYTHON": sys.executable, "PIP_CONFIG_FILE": os.devnull, **environment},
        capture_output=True,
        text=True,
        timeout=240,
    )


def script(clone: Path, name: str, body: str) -> None:
    path = clone / "tools" / name
    path.unlink(missing_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_the_first_use_makes_the_environment_and_the_second_only_runs(clone: Path) -> None:
    first, second = prospector(clone, "a", "b c"), prospector(clone)

    assert (first.stdout, first.returncode) == ("ran a b c\n", 0)
    assert "Making the environment" in first.stderr
    assert (second.stdout, second.stderr) == ("ran\n", "")


def test_the_command_line_knows_how_it_was_called(clone: Path) -> None:
    (clone / "cli" / "__main__.py").write_text("import os; print(os.environ['PROSPECTOR_CALLED'])")

    assert prospector(clone).stdout.strip() == str(clone / "bin" / "prospector")


def test_a_changed_lock_remakes_the_environment(clone: Path) -> None:
    prospector(clone)
    left_over = clone / ".venv" / "left-over"
    left_over.touch()
    (clone / "requirements" / "run.txt").write_text("# changed\n")

    done = prospector(clone)

    assert "Making the environment" in done.stderr
    assert not left_over.exists()


def test_a_clone_that_was_moved_or_copied_gets_an_environment_of_its_own(clone: Path, tmp_path: Path) -> None:
    prospector(clone)
    copy = tmp_path / "a copy"
    shutil.copytree(clone, copy, symlinks=True, ignore=shutil.ignore_patterns("a copy"))
    (copy / "cli" / "__main__.py").write_text("print('the copy ran')")

    first, second = prospector(copy), prospector(copy)

    assert (first.stdout, second.stdout) == ("the copy ran\n", "the copy ran\n")
    assert "Making the environment" in first.stderr
    assert second.stderr == ""
    assert prospector(clone).stderr == ""


def test_an_environment_whose_python_is_gone_is_made_anew(clone: Path) -> None:
    prospector(clone)
    (clone / ".venv" / "bin" / "python").unlink()

    done = prospector(clone)

    assert "Making the environment" in done.stderr
    assert done.stdout == "ran\n"


def test_an_interrupted_making_is_begun_again(clone: Path) -> None:
    prospector(clone)
    (clone / ".venv" / "run.txt").unlink()

    assert prospector(clone).stdout == "ran\n"


def test_two_first_uses_at_once_make_one_environment(clone: Path) -> None:
    command = f"'{clone}/bin/prospector' & '{clone}/bin/prospector' & wait"

    done = subprocess.run(
        ["sh", "-c", command],
        env={"PATH": str(clone / "tools"), "PYTHON": sys.executable, "PIP_CONFIG_FILE": os.devnull},
        capture_output=True,
        text=True,
        timeout=240,
    )

    assert done.stdout == "ran\nran\n"
    assert done.stderr.count("Making the environment") == 1


def test_it_runs_through_a_link_and_from_any_folder_whatever_lies_there(clone: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "cli.py").write_text("print('shadow')")
    link = elsewhere / "prospector"
    link.symlink_to(clone / "bin" / "prospector")

    done = subprocess.run(
        [link],
        cwd=elsewhere,
        env={"PATH": str(clone / "tools"), "PYTHON": sys.executable, "PYTHONPATH": str(elsewhere)},
        capture_output=True,
        text=True,
        timeout=240,
    )

    assert done.stdout == "ran\n"


@pytest.mark.parametrize(
    ("tool", "body", "says"),
    [
        ("python3", 'case "$2" in *"%d.%d"*) echo 3.9 ;; *) exit 1 ;; esac', "Python 3.11 to 3.14 is needed (found: python3 is 3.9)"),
        ("python3", 'case "$2" in *"%d.%d"*) echo 3.12 ;; *ensurepip*) exit 1 ;; esac', "sudo apt install python3.12-venv"),
        ("uname", "echo MINGW64_NT-10.0", "wsl --install"),
    ],
)  # fmt: skip
def test_what_is_missing_is_one_line_that_says_what_to_do(clone: Path, tool: str, body: str, says: str) -> None:
    script(clone, tool, body)

    done = prospector(clone, PYTHON="python3")

    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.returncode == 3


def test_no_python_at_all_is_said(clone: Path) -> None:
    done = prospector(clone, PYTHON="")

    assert "Python 3.11 to 3.14 is needed (found: none)" in done.stderr
    assert done.returncode == 3


def test_offline_is_said_and_the_next_use_tries_again(clone: Path) -> None:
    (clone / "requirements" / "run.txt").write_text(f"nothing==1.0 --hash=sha256:{'0' * 64}\n")

    done = prospector(clone, PIP_INDEX_URL="http://127.0.0.1:1/simple", PIP_RETRIES="0")

    assert "the package index cannot be reached" in done.stderr
    assert done.returncode == 3
    assert not (clone / ".venv" / "run.txt").exists()


def test_a_folder_that_cannot_be_written_is_said(clone: Path) -> None:
    (clone / ".venv.lock").mkdir()  # refuses even root

    done = prospector(clone)

    assert ".venv" in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.returncode == 3


def test_a_linux_without_glibc_is_named(clone: Path) -> None:
    code = "import platform, runpy, sys; platform.libc_ver = lambda: ('', ''); sys.argv[1:] = ['run']; runpy.run_path(sys.argv[0], run_name='__main__')"
    launcher = f'case "$1" in *environment.py) exec "{sys.executable}" -c "import sys; sys.argv[0] = \'$1\'; {code}" ;; esac; exec "{sys.executable}" "$@"'
    script(clone, "python3", launcher)

    done = prospector(clone, PYTHON="python3")

    assert "Alpine" in done.stderr
    assert done.returncode == 3


@pytest.fixture
def gate(clone: Path) -> Path:
    """bin/test with an environment whose tools only say how they were called."""
    tools, packages = clone / ".venv" / "bin", clone / ".venv" / "lib" / "python3" / "site-packages"
    for folder in (tools, packages):
        folder.mkdir(parents=True)
    shutil.copy(clone / "requirements" / "test.txt", clone / ".venv")
    (packages / "prospector_clone.pth").write_text(f"{clone}\n")
    for tool in ("python", "ruff", "mypy", "lint-imports", "pytest"):
        (tools / tool).write_text(f'#!/bin/sh\necho "{tool}" "$@"\n')
        (tools / tool).chmod(0o755)
    return clone


def gate_run(clone: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([clone / "bin" / "test", *words], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("words", "ran"),
    [
        ("", ["lint: ok", "types: ok", "layers: ok", "pytest -n 4 --dist worksteal"]),
        ("types lint", ["types: ok", "lint: ok"]),
        ("unit cli -k lint", ["pytest tests/unit tests/cli -k lint"]),
        ("lint tests/unit/test_env.py", ["lint: ok", "pytest tests/unit/test_env.py"]),
        ("-x -q", ["pytest -x -q"]),
    ],
)
def test_the_gate_runs_all_that_is_named_and_nothing_else(gate: Path, words: str, ran: list[str]) -> None:
    done = gate_run(gate, *words.split())

    said = [line for line in done.stdout.splitlines() if line.startswith(("lint:", "types:", "layers:", "pytest"))]
    assert (said, done.returncode) == (ran, 0)


@pytest.mark.parametrize(
    ("tool", "words"), [("mypy", ""), ("mypy", "types lint"), ("pytest", ""), ("ruff", "lint unit")]
)
def test_the_gate_ends_at_the_first_check_that_fails(gate: Path, tool: str, words: str) -> None:
    (gate / ".venv" / "bin" / tool).write_text("#!/bin/sh\nexit 9\n")

    done = gate_run(gate, *words.split())

    assert done.returncode == 9
    assert "pytest" not in done.stdout
    assert "lint: ok" not in done.stdout or not words
