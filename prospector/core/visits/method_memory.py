"""What a domain has taught about how it is read: so that its next pages begin where its last ones ended."""

from dataclasses import dataclass, replace

from prospector.core.visits.methods import PRICE_CREDITS, Method

ALIKE = 3  # pages in a row that only one method could read
DIRECT_EVERY = 10  # pages: sites that blocked us may have forgotten it
VAIN_RENDERS = 2


@dataclass(frozen=True)
class MethodMemory:
    """`method` is remembered; `streak` counts pages in a row read by `last` only; `pages` counts since `method` was."""

    method: Method = Method.DIRECT
    last: Method = Method.DIRECT
    streak: int = 0
    pages: int = 0
    vain_renders: int = 0

    @property
    def next_method(self) -> Method:
        return Method.DIRECT if (self.pages + 1) % DIRECT_EVERY == 0 else self.method

    @property
    def may_render(self) -> bool:
        return self.vain_renders < VAIN_RENDERS


def after_read(memory: MethodMemory, method: Method) -> MethodMemory:
    """A page was read by `method`, after whatever was tried before it. What a cheaper method can read, it reads at once."""
    if method is Method.DIRECT:
        return MethodMemory(vain_renders=memory.vain_renders)
    streak = memory.streak + 1 if method is memory.last else 1
    cheaper = PRICE_CREDITS[method] < PRICE_CREDITS[memory.method]
    if method is not memory.method and (streak >= ALIKE or cheaper):
        return replace(memory, method=method, last=method, streak=streak, pages=0)
    return replace(memory, last=method, streak=streak, pages=memory.pages + 1)


def after_render(memory: MethodMemory, *, added: bool) -> MethodMemory:
    """`added`: the rendered document had text that the page without a browser did not."""
    return replace(memory, vain_renders=0 if added else memory.vain_renders + 1)
