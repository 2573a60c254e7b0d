"""Batches of settled pages: whole, once, and never lost for one bad row."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from prospector.core.reading.traits import LinkStatus, PageFlag, PageKind
from prospector.core.reading.zones import Zone
from prospector.core.visits.outcomes import PageOutcome
from prospector.errors import NotFound
from prospector.store import pages, partitions
from prospector.store.failures import Failure, failure
from prospector.store.pages import MentionRow, PageRow

Page = Callable[..., PageRow]
NASTY = "'; DROP TABLE jobs; -- %s %(x)s :job \\ \\N {} \t\n\r \x07 \" 日本 👍 \\u0000"


def mentions(engine: Engine, job: str) -> set[tuple[object, ...]]:
    with engine.connect() as connection:
        found = connection.execute(text(f"SELECT page, keyword, frequency FROM mentions_{job}"))
        return {tuple(row) for row in found}


def stored(engine: Engine, job: str, page: int) -> PageRow:
    with engine.connect() as connection:
        found = pages.outcome(connection, job, page)
    assert found
    return found


def test_a_batch_is_stored_with_all_it_says(engine: Engine, job: str, page: Page) -> None:
    full = page(
        -(2**63),
        canonical=2**63 - 1,
        kind=PageKind.ARTICLE,
        link=LinkStatus.NOFOLLOW,
        flags=PageFlag.NOINDEX | PageFlag.CONTACT_FOUND,
        title="Ten tools",
        language="pt-BR",
        detail="certificate expired",
        links=[{"to": "https://acme.test/", "anchor": "Acme", "rel": "nofollow", "zone": "main"}],
        spellings=["AcmeCRM"],
        found=["https://a.example/next"],
        mentions=[],
    )

    written = pages.write(engine, job, [full, page(2)])

    assert written.fresh == {full.page, 2}
    assert stored(engine, job, full.page) == replace(full, mentions=())


def test_a_mention_keeps_its_zones_and_anchor(engine: Engine, job: str, page: Page) -> None:
    said = MentionRow(1, 4, Zone.H1, "about …", zones={Zone.H1: 1, Zone.FOOTER: 3}, anchor="our tools")

    pages.write(engine, job, [page(1, mentions=[said])])

    with engine.connect() as connection:
        row = connection.execute(text(f"SELECT zone, snippet, zones, anchor FROM mentions_{job}")).one()
    assert tuple(row) == ("h1", "about …", {"h1": 1, "footer": 3}, "our tools")


def test_a_replay_changes_nothing_and_says_what_was_new(engine: Engine, job: str, page: Page) -> None:
    pages.write(engine, job, [page(1), page(2)])

    late = [replace(page(one), status=500, mentions=[MentionRow(1, 9, Zone.MAIN, "late")]) for one in (2, 3)]
    written = pages.write(engine, job, late)

    assert written.fresh == {3}
    assert stored(engine, job, 2).status == 200
    assert mentions(engine, job) == {(1, 0, 3), (2, 0, 3), (3, 1, 9)}


def test_a_page_that_comes_twice_in_one_batch_is_one_page(engine: Engine, job: str, page: Page) -> None:
    written = pages.write(engine, job, [page(1), page(1)])

    assert written.fresh == {1}
    assert mentions(engine, job) == {(1, 0, 3)}


def test_a_later_generation_replaces_the_page_and_what_it_said(engine: Engine, job: str, page: Page) -> None:
    both = [MentionRow(0, 3, Zone.MAIN, "old"), MentionRow(1, 1, Zone.MAIN, "old")]
    pages.write(engine, job, [page(1, mentions=both), page(2)])

    again = page(1, generation=2, status=404, mentions=[MentionRow(1, 5, Zone.NAV, "new")])
    written = pages.write(engine, job, [again])

    assert written.fresh == {1}
    assert stored(engine, job, 1).status == 404
    assert mentions(engine, job) == {(1, 1, 5), (2, 0, 3)}


def test_a_late_write_of_an_older_generation_changes_nothing(engine: Engine, job: str, page: Page) -> None:
    pages.write(engine, job, [page(1, generation=2)])

    written = pages.write(engine, job, [page(1, generation=1, status=500)])

    assert not written.fresh
    assert stored(engine, job, 1).status == 200


@pytest.mark.parametrize("bad", [0, 49, 99])
def test_one_bad_row_of_a_hundred_is_kept_apart_and_the_others_are_stored(
    engine: Engine, job: str, page: Page, bad: int
) -> None:
    batch = [page(number) for number in range(100)]
    batch[bad] = page(bad, status=70_000)

    written = pages.write(engine, job, batch)

    assert written.fresh == set(range(100))
    assert set(written.refused) == {bad}
    assert len(mentions(engine, job)) == 99
    kept = stored(engine, job, bad)
    assert kept.outcome is PageOutcome.UNWRITABLE
    assert "smallint" in str(kept.detail)


def test_several_bad_rows_are_all_found(engine: Engine, job: str, page: Page) -> None:
    bad = {3, 4, 50, 97}
    batch = [page(number, depth=99_999 if number in bad else 0) for number in range(100)]

    written = pages.write(engine, job, batch)

    assert set(written.refused) == bad
    assert len(mentions(engine, job)) == 96


def test_a_row_of_which_nothing_can_be_stored_does_not_take_the_others_with_it(
    engine: Engine, job: str, page: Page
) -> None:
    written = pages.write(engine, job, [page(1, domain=2**40), page(2)])

    assert written.fresh == {2}
    assert set(written.refused) == {1}


def test_a_mention_that_cannot_be_stored_takes_only_its_own_page_with_it(engine: Engine, job: str, page: Page) -> None:
    broken = page(1, mentions=[MentionRow(0, 1, Zone.MAIN, "fine"), MentionRow(1, 2**40, Zone.MAIN, "too often")])

    written = pages.write(engine, job, [broken, page(2)])

    assert set(written.refused) == {1}
    assert mentions(engine, job) == {(2, 0, 3)}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a\0b", "a\ufffdb"),
        ("a\ud800b", "a\ufffdb"),
        ("\\u0000", "\\u0000"),
        ("\\\0", "\\\ufffd"),
        ("https://a.example/" + "x" * 9_000, "https://a.example/" + "x" * 9_000),
        (NASTY, NASTY),
    ],
    ids=["NUL", "lone surrogate", "words of an escape", "backslash and NUL", "9 kB", "hostile"],
)
def test_any_text_is_stored_as_it_is_but_for_what_postgres_cannot_hold(
    engine: Engine, job: str, page: Page, given: str, kept: str
) -> None:
    row = page(
        1, url=given, title=given, detail=given, links=[{"to": given, given: 1}], found=[given], spellings=[given]
    )

    written = pages.write(engine, job, [replace(row, mentions=[MentionRow(0, 1, Zone.MAIN, given, anchor=given)])])

    assert not written.refused
    assert stored(engine, job, 1) == replace(
        row,
        url=kept,
        title=kept,
        detail=kept,
        links=[{"to": kept, kept: 1}],
        found=[kept],
        spellings=[kept],
        mentions=(),
    )
    with engine.connect() as connection:
        said = connection.execute(text(f"SELECT snippet, anchor FROM mentions_{job}")).one()
    assert tuple(said) == (kept, kept)


def test_eight_writers_of_the_same_pages_store_each_once(engine: Engine, job: str, page: Page) -> None:
    batches: list[Sequence[PageRow]] = [
        [page(one) for one in range(100)][:: 1 if turn % 2 else -1] for turn in range(8)
    ]

    with ThreadPoolExecutor(8) as pool:
        written = list(pool.map(lambda batch: pages.write(engine, job, batch), batches))

    assert sum(len(one.fresh) for one in written) == 100
    assert len(mentions(engine, job)) == 100


def test_a_batch_that_is_cut_off_in_the_middle_leaves_nothing_and_is_simply_written_again(
    engine: Engine, job: str, page: Page
) -> None:
    with engine.begin() as connection:
        connection.execute(text("CREATE SEQUENCE rows_seen"))
        connection.execute(
            text("""CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                PERFORM pg_terminate_backend(pg_backend_pid()) WHERE nextval('rows_seen') = 50;
                RETURN NEW;
            END $$""")
        )
        connection.execute(
            text(f"CREATE TRIGGER cut_off BEFORE INSERT ON pages_{job} FOR EACH ROW EXECUTE FUNCTION cut_off()")
        )
    batch = [page(number) for number in range(100)]

    with pytest.raises(DBAPIError) as caught:
        pages.write(engine, job, batch)
    assert failure(caught.value) is Failure.AWAY
    assert not mentions(engine, job)

    assert len(pages.write(engine, job, batch).fresh) == 100
    assert len(mentions(engine, job)) == 100


def test_a_connection_that_died_between_two_batches_is_not_noticed(engine: Engine, job: str, page: Page) -> None:
    pages.write(engine, job, [page(1)])
    with engine.connect() as connection, engine.connect() as another:
        pid = connection.connection.driver_connection.info.backend_pid
        connection.close()
        another.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})

    assert pages.write(engine, job, [page(2)]).fresh == {2}


def test_a_write_for_a_job_whose_results_are_deleted_says_so(engine: Engine, job: str, page: Page) -> None:
    with engine.begin() as connection:
        partitions.drop(connection, job)

    with pytest.raises(NotFound, match=f"The results of job {job} are deleted"):
        pages.write(engine, job, [page(1)])


def test_an_empty_batch_is_no_work(engine: Engine, job: str) -> None:
    assert not pages.write(engine, job, []).fresh


def test_a_page_that_is_not_settled_has_no_outcome(engine: Engine, job: str) -> None:
    with engine.connect() as connection:
        assert pages.outcome(connection, job, 7) is None
