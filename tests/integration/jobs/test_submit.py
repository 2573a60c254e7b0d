"""Submission: one job however often it is asked for (J1), and every row of the list accounted for."""

from collections.abc import Callable
from dataclasses import replace

from sqlalchemy import select

from prospector.core.job.spec import JobSpec, spec_from
from prospector.core.job.states import JobState
from prospector.core.lists.exclusions import exclusions
from prospector.core.lists.intake import take
from prospector.jobs import control
from prospector.jobs.submit import submit
from prospector.store import jobs, tables
from prospector.store.jobs import Created

from .conftest import Desk, submission

Together = Callable[..., list[object]]


def test_two_terminals_at_once_make_one_job(desk: Desk, together: Together) -> None:
    answers = together(*[lambda: submit(desk.engine, submission())] * 8)

    made = [one for one in answers if isinstance(one, Created)]
    assert len(made) == 8
    assert len({one.job for one in made}) == 1
    assert [one.was_there for one in made].count(False) == 1


def test_a_second_try_finds_the_job_in_every_state_that_is_not_its_end(desk: Desk) -> None:
    job = desk.made()

    for step in (control.start, control.pause, control.resume):
        step(desk.engine, desk.frontier, job)
        assert submit(desk.engine, submission()) == Created(job, was_there=True)


def test_a_job_that_is_over_is_not_in_the_way_of_the_same_again(desk: Desk) -> None:
    made = []

    for _ in range(3):
        made.append(desk.running())
        control.cancel(desk.engine, desk.frontier, made[-1])

    assert len(set(made)) == 3


def test_another_name_list_keyword_or_limit_is_another_job(desk: Desk) -> None:
    asked = submission()
    others = [
        asked,
        replace(asked, name="Acme Q2"),
        replace(asked, spec=JobSpec(max_pages=7)),
        replace(asked, max_credits=1),
        replace(asked, sample=2),
    ]

    made = {submit(desk.engine, one).job for one in others}

    assert len(made) == len(others)


def test_names_keywords_and_cells_are_stored_as_they_are(desk: Desk) -> None:
    name = "Robert'); DROP TABLE jobs;-- \\N [red]"
    data = b"domain,note\na.com,'; DELETE FROM domains; --\nb.com,\\.\n"
    asked = replace(submission(), name=name, intake=take(data, "x.csv", exclusions()))

    job = submit(desk.engine, asked).job

    with desk.engine.connect() as connection:
        cells = connection.scalars(select(tables.domains.c.cells).order_by(tables.domains.c.number)).all()
        assert jobs.job(connection, job).name == name
        assert [one.keyword for one in jobs.keywords(connection, job)] == ["crm", "Acme CRM"]
    assert cells == [{"note": "'; DELETE FROM domains; --"}, {"note": "\\."}]


def test_every_row_of_the_list_ends_as_a_domain_or_an_issue(desk: Desk) -> None:
    data = b"domain\na.com\nwww.a.com\ninfo@b.com\nfacebook.com\nc.com\nd.com\n"
    asked = replace(submission(), intake=take(data, "x.csv", exclusions()), sample=2)

    job = submit(desk.engine, asked).job

    with desk.engine.connect() as connection:
        made = jobs.job(connection, job)
        kinds = sorted(connection.scalars(select(tables.input_issues.c.kind)))
    assert made.input_rows == 6
    assert made.domains_total == 2
    assert kinds == ["duplicate", "excluded", "excluded", "unusable"]


def test_all_that_was_asked_of_a_job_comes_back_from_the_record(desk: Desk) -> None:
    spec = JobSpec(max_hours=5, max_pages=9, client_domains=("acme.com",))

    job = desk.made(spec=spec, max_credits=77)

    with desk.engine.connect() as connection:
        made = jobs.job(connection, job)
    assert (spec_from(made.spec), made.max_credits, made.state) == (spec, 77, JobState.PENDING)
