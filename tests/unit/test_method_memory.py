"""A domain's memory of how it is read."""

from prospector.core.visits.method_memory import MethodMemory, after_read, after_render
from prospector.core.visits.methods import Method
from prospector.core.visits.priority import Priority, priority


def taught(*read_by: Method) -> MethodMemory:
    memory = MethodMemory()
    for method in read_by:
        memory = after_read(memory, method)
    return memory


def test_a_method_is_remembered_after_three_pages_in_a_row_that_only_it_could_read() -> None:
    assert taught(Method.STANDARD, Method.STANDARD).next_method is Method.DIRECT
    assert taught(Method.STANDARD, Method.STANDARD, Method.STANDARD).next_method is Method.STANDARD


def test_other_methods_in_between_break_the_row() -> None:
    assert taught(Method.JS, Method.JS, Method.STANDARD, Method.JS).next_method is Method.DIRECT
    assert taught(Method.JS, Method.JS, Method.DIRECT, Method.JS).next_method is Method.DIRECT


def test_direct_is_tried_again_with_every_tenth_page() -> None:
    memory = taught(*[Method.STANDARD] * 3)

    begun = []
    for _ in range(20):
        begun.append(memory.next_method)
        memory = after_read(memory, Method.STANDARD)

    assert [place for place, method in enumerate(begun, 1) if method is Method.DIRECT] == [10, 20]


def test_one_page_that_direct_could_read_forgets_the_paid_method() -> None:
    memory = after_read(taught(*[Method.STANDARD] * 9), Method.DIRECT)

    assert memory.next_method is Method.DIRECT


def test_a_cheaper_paid_method_is_taken_at_once_and_a_dearer_one_after_three_pages() -> None:
    rendered = taught(*[Method.JS] * 3)
    plain = taught(*[Method.STANDARD] * 3)

    assert after_read(rendered, Method.STANDARD).next_method is Method.STANDARD
    assert after_read(plain, Method.JS).next_method is Method.STANDARD
    assert taught(*[Method.STANDARD] * 3, *[Method.JS] * 3).next_method is Method.JS


def test_after_two_renders_that_added_nothing_no_page_is_rendered() -> None:
    once = after_render(MethodMemory(), added=False)

    assert once.may_render
    assert not after_render(once, added=False).may_render
    assert after_render(after_render(once, added=True), added=False).may_render


def test_what_was_learned_of_renders_outlives_what_was_learned_of_methods() -> None:
    memory = after_render(after_render(MethodMemory(), added=False), added=False)

    assert not after_read(memory, Method.DIRECT).may_render


def test_credits_go_to_homepages_then_to_pages_with_a_hint_then_to_the_rest() -> None:
    assert priority(homepage=True, hinted=True) is Priority.HOMEPAGE
    assert priority(homepage=False, hinted=True) is Priority.HINTED
    assert priority(homepage=False, hinted=False) is Priority.OTHER
    assert sorted(Priority) == [Priority.HOMEPAGE, Priority.HINTED, Priority.OTHER]
