"""What status, list and watch say of a job, literally as promised."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from cli import output
from cli.job import wording
from prospector.core.job.halts import Halt, halt_of
from prospector.core.job.progress import Eta, Speed
from prospector.core.job.states import JobState
from prospector.core.visits.methods import Method
from prospector.jobs.status import JobStatus
from prospector.store.jobs import Job

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
CENT = Decimal("0.01")


def job(state: JobState = JobState.RUNNING, **changes: Any) -> Job:
    facts = {
        "id": "abc123", "name": "Acme Corp Q1", "state": state, "reason": state.value, "spec": {}, "max_credits": 10_000,
        "domains_total": 5_000, "input_rows": 5_000, "input_columns": [], "created_at": NOON, "moved_at": NOON,
        "started_at": NOON, "left_running_at": None, "warned_at": None,
    }  # fmt: skip
    return Job(**{**facts, **changes})


def status(state: JobState = JobState.RUNNING, reason: str = "", **changes: Any) -> JobStatus:
    return replace(JobStatus(job(state, reason=reason or state.value), NOON, is_live=True), **changes)


def said(one: JobStatus) -> dict[str, str]:
    return dict(wording.lines(one, CENT))


def test_a_job_whose_list_is_done_says_that_it_asks_for_addresses_of_the_client() -> None:
    assert said(status(client_urls_left=12))["Your addresses"] == (
        "12 that pages link to are still to be asked whether they answer"
    )
    assert "Your addresses" not in said(status())


def test_a_running_job_as_the_requirements_have_it() -> None:
    found = said(
        status(
            domains_done=3_200,
            domains_failed=41,
            used_credits=4_832,
            speed=Speed(287, 290),
            eta=Eta(8_280, 10_440),
            last_activity=datetime.now(UTC) - timedelta(minutes=2, seconds=5),
            failures={"DNS resolution failed": 30, "HTTP 403 Forbidden": 11},
        )
    )

    assert found["Progress"] == "3,241/5,000 domains (65%)"
    assert found["Status"] == "Running"
    assert found["ETA"] == "~2.3 to 2.9 hours remaining"
    assert found["Cost so far"].startswith("4,832 ScrapingBee credits used ($48.32)")
    assert "at this pace about 7,454 in all" in found["Cost so far"]
    assert found["Throughput"] == "Averaging 287 domains/hour over last 15 minutes"
    assert found["Last activity"] == "2 minutes ago"
    assert found["Failed"] == "41 domains (DNS resolution failed 30, HTTP 403 Forbidden 11)"


def test_a_speed_is_of_no_longer_time_than_the_job_goes() -> None:
    found = said(status(speed=Speed(1_200, 1_200, over_seconds=120)))

    assert found["Throughput"] == "Averaging 1,200 domains/hour over last 2 minutes"


def test_the_percentage_is_full_only_at_the_end() -> None:
    assert wording.progress(status(domains_done=4_999)) == "4,999/5,000 domains (99%)"
    assert wording.progress(status(domains_done=4_990, domains_failed=10)) == "5,000/5,000 domains (100%)"


def test_a_pause_says_where_and_how_to_go_on() -> None:
    paused = wording.outcome(status(JobState.PAUSED, Halt.ASKED, domains_done=2_400))

    assert paused[0] == "Paused at 2,400/5,000 domains (48%). Resume anytime with 'job resume abc123'"
    assert "Next: prospector job resume abc123" in paused


def test_a_pause_in_progress_says_what_it_waits_for() -> None:
    found = said(status(JobState.PAUSING, in_flight=12))

    assert found["Status"] == "Pausing... (12 requests in flight end first)"


def test_a_reached_budget_names_the_higher_one_ready_to_paste() -> None:
    one = status(JobState.PAUSED, f"{Halt.BUDGET} (10,000 credits)", used_credits=10_000)

    assert wording.outcome(one)[0] == (
        "Budget limit reached (10,000 credits used). Job paused. Resume with a higher limit: prospector job resume abc123 "
        "--max-credits 15000, or export partial results: prospector job export abc123"
    )
    assert wording.exit_code(one) == 6


def test_a_budget_that_pays_for_no_page_any_more_says_what_is_left() -> None:
    one = status(JobState.PAUSED, f"{Halt.BUDGET} (10,000 credits)", used_credits=9_997)

    assert wording.outcome(one)[0].startswith("Budget limit reached (9,997 of 10,000 credits used). Job paused.")


def test_a_rejected_key_says_what_is_saved_and_what_waits() -> None:
    one = status(JobState.PAUSED, Halt.KEY, domains_done=1_204, domains_waiting=3_796)

    words = wording.outcome(one)[0]
    assert (
        "1,204 domains are done and saved; 3,796 wait. Fix SCRAPINGBEE_API_KEY, then: prospector job resume abc123"
        in words
    )
    assert wording.exit_code(one) == 4


def test_a_job_that_ran_for_too_long_says_so() -> None:
    words = wording.outcome(status(JobState.PAUSED, f"{Halt.HOURS} (48 h)"))

    assert words[0].startswith("Job running for 48 hours. Auto-paused to prevent runaway costs")


def test_a_completed_job_says_how_many_failed_and_by_which_methods() -> None:
    one = status(
        JobState.COMPLETED,
        domains_done=4_573,
        domains_failed=300,
        methods={Method.DIRECT: 3_891, Method.STANDARD: 1_924, Method.JS: 432},
    )

    assert "4,573 succeeded, 300 failed (see error report)" in wording.outcome(one)[0]
    assert said(one)["Breakdown"] == (
        "Direct (free): 3,891 domains | ScrapingBee (standard): 1,924 domains | ScrapingBee (JS rendering): 432 domains"
    )
    assert wording.exit_code(one) == 0


def test_numbers_of_an_earlier_moment_say_so() -> None:
    assert "Redis does not answer" in said(status(is_live=False))["Note"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(30, "less than a minute ago"), (150, "2 minutes ago"), (3_700, "1 hour ago"), (200_000, "2 days ago")],
)
def test_how_long_ago(seconds: int, words: str) -> None:
    assert wording.ago(NOON - timedelta(seconds=seconds), NOON) == words


@pytest.mark.parametrize("state", JobState)
def test_every_state_leads_to_a_next_command_or_its_end(state: JobState) -> None:
    words = " ".join(wording.outcome(status(state)))

    assert "prospector job " in words or state in {JobState.ARCHIVED, JobState.PAUSING}


@pytest.mark.parametrize("halt", Halt)
def test_a_halt_is_known_again_from_its_words(halt: Halt) -> None:
    assert halt_of(f"{halt.value} (5,000 credits)") is halt
    assert halt_of("something else") is None


def test_the_commonest_reasons_are_told_and_where_the_others_are() -> None:
    failures = {f"HTTP 40{number}": 9 - number for number in range(7)}

    told = said(status(domains_failed=42, failures=failures))["Failed"]

    assert told.startswith("42 domains (HTTP 400 9, HTTP 401 8, HTTP 402 7, HTTP 403 6, HTTP 404 5")
    assert told.endswith(", and 2 more reasons: prospector job errors abc123)")
    assert status(failures=failures).as_object()["failures"] == failures


def test_a_site_that_asked_to_wait_is_told_with_its_moment() -> None:
    until = datetime.now(UTC) + timedelta(days=2)
    moment = f"{until.astimezone():%b} {until.astimezone().day}, {until.astimezone():%H:%M}"

    one = said(status(domains_open=1, domains_stalled=1, stalled_until=until, eta=Eta(7_200, 7_200)))
    several = status(domains_open=3, domains_stalled=3, stalled_until=until)

    assert one["ETA"] == f"~2.0 hours remaining; 1 waits for its site until {moment}"
    assert said(several)["ETA"] == f"not known yet; 3 wait for their sites, the last until {moment}"
    assert f"3 wait for their sites, the last until {moment}" in wording.line(several, CENT)


@pytest.mark.parametrize(
    ("waiting", "being_read", "label", "words"),
    [
        (2, 1, "Waiting", "2 domains; 1 is being read"),
        (1, 3, "Waiting", "1 domain; 3 are being read"),
        (4, 0, "Waiting", "4 domains"),
        (0, 1, "Being read", "1 domain"),
    ],
)
def test_what_waits_and_what_is_being_read(waiting: int, being_read: int, label: str, words: str) -> None:
    assert said(status(domains_waiting=waiting, domains_open=being_read))[label] == words


@pytest.mark.parametrize(
    ("waiting", "begun", "words"),
    [(2, 1, "3 domains; 1 of these was begun"), (0, 2, "2 domains; 2 of these were begun"), (4, 0, "4 domains")],
)
def test_nothing_is_being_read_in_a_paused_job(waiting: int, begun: int, words: str) -> None:
    found = said(status(JobState.PAUSED, domains_waiting=waiting, domains_open=begun))

    assert found["Waiting"] == words
    assert "Being read" not in found


@pytest.mark.parametrize("state", [JobState.CANCELLED, JobState.FAILED, JobState.COMPLETED])
def test_nothing_waits_in_a_job_that_is_over(state: JobState) -> None:
    found = said(status(state, domains_waiting=2, domains_open=1))

    assert not {"Waiting", "Being read"} & set(found)
    assert found["Not read"] == "3 domains"


def test_a_job_that_pays_for_nothing_names_no_limit_of_credits() -> None:
    free = replace(status(), job=job(spec={"mode": "free-only"}))

    assert said(free)["Cost so far"] == "0 ScrapingBee credits used ($0.00), mode free-only"
    assert said(status())["Cost so far"] == "0 ScrapingBee credits used ($0.00) of 10,000"


def test_a_job_that_waits_for_room_says_so_and_that_it_starts_by_itself() -> None:
    one = status(JobState.PENDING, "queued: Queue depth growing.")

    assert said(one)["Status"] == "Pending: queued: Queue depth growing."
    assert wording.outcome(one)[0] == "Job abc123 (Acme Corp Q1) is queued: Queue depth growing. It starts by itself."


def test_a_job_that_failed_with_domains_left_can_be_resumed() -> None:
    one = status(JobState.FAILED, "Redis was away for 24 hours", domains_waiting=5)

    assert wording.outcome(one)[-1] == "Next: prospector job resume abc123"


def test_one_domain_is_one_domain_in_the_breakdown_too() -> None:
    assert wording.breakdown({Method.DIRECT: 1}).startswith("Direct (free): 1 domain | ")


def test_the_breakdown_names_every_way_a_domain_can_be_read() -> None:
    words = wording.breakdown({Method.DIRECT: 3_891, Method.STANDARD: 1_924, Method.JS: 432})

    assert words == (
        "Direct (free): 3,891 domains | ScrapingBee (standard): 1,924 domains | ScrapingBee (JS rendering): 432 domains"
    )


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("key", "58 pages wait for a ScrapingBee key that works. Fix SCRAPINGBEE_API_KEY, then: prospector job resume abc123"),
        ("credits", "58 pages wait for credits of the ScrapingBee account. When it has some: prospector job resume abc123"),
        ("budget", "58 pages wait for a higher budget: prospector job resume abc123 --max-credits 15000"),
        ("provider", "58 pages wait for ScrapingBee, which does not answer. They go on by themselves when it does."),
    ],
)  # fmt: skip
def test_a_running_job_says_what_its_pages_wait_for_and_what_to_do(reason: str, words: str) -> None:
    found = status(domains_open=59, domains_parked=58, parked_pages={reason: 58})

    assert said(found)["On hold"] == words
    assert " · 58 pages on hold" in wording.line(found, CENT)


def test_a_job_that_rests_says_it_with_its_reason_alone() -> None:
    found = status(JobState.PAUSED, Halt.KEY, domains_open=2, parked_pages={"key": 2})

    assert "On hold" not in said(found)


def test_a_table_on_a_narrow_terminal_loses_the_end_of_no_figure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "WIDTH_OF_A_PIPE", 24)

    output.table(["job", "domains", "page"], [("a7k2mq", "12,345/50,000", "https://acme.test/pages/1")])

    drawn = capsys.readouterr().out
    assert "…" not in drawn
    assert sorted(filter(str.isdigit, drawn)) == sorted("72" + "1234550000" + "1")
