"""One call to the simulator, from its arrival to the record of what it cost."""

import asyncio
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto

from prospector.demo.scrapingbee import rules
from prospector.demo.scrapingbee.account import Account
from prospector.demo.scrapingbee.faults import (
    BROKEN_COSTS,
    BROKEN_STATUSES,
    CAPTCHA_PAGE,
    UNKNOWN_STATUS,
    Fault,
    Faults,
)
from prospector.demo.scrapingbee.rules import Answer, Call, Outcome, ParameterInvalid
from prospector.demo.scrapingbee.target import AddressRefused, NothingAnswered, Target
from prospector.demo.scrapingbee.truth import Record, Truth, fingerprint

BROWSER = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "en-US,en;q=0.9",
    "Accept-Encoding": "gzip, deflate",
}
POLL_SECONDS = 0.05
KILLED = 137  # the exit code of kill -9


class Ending(Enum):
    """What becomes of the connection."""

    SENT = auto()
    CUT = auto()
    RESET = auto()
    SENT_THEN_DEAD = auto()


@dataclass(frozen=True)
class Asked:
    """The request as it came in."""

    parameters: Mapping[str, str]
    headers: Mapping[str, str]
    started: float
    attempt: str  # see Faults.attempt

    @property
    def key(self) -> str:
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else self.parameters.get("api_key", "")

    @property
    def method(self) -> str:
        plain = self.parameters.get("render_js", "true").lower() in {"false", "0"}
        return "scrapingbee-standard" if plain else "scrapingbee-js"

    @property
    def url(self) -> str:
        return self.parameters.get("url", "")


class Provider:
    """ScrapingBee: the account, the way to the target, the faults in force and the truth."""

    def __init__(self, account: Account, target: Target, faults: Faults, truth: Truth, via_token: str) -> None:
        self.account = account
        self.target = target
        self.faults = faults
        self.truth = truth
        self._via_token = via_token

    async def answer(self, asked: Asked) -> tuple[Answer, Ending]:
        """The place is free and the bill written when this returns, before any byte of the answer is sent."""
        outage = self.faults.outage(asked.started)
        if outage is not None:
            answer, ending = outage_answer(outage)
            answer = self._settle(answer, asked, 0, ending)  # now, because it may hang for as long as the outage lasts
            await self.outage_answered()
            return answer, ending
        call = self._admit(asked)
        if isinstance(call, Answer):
            return self._settle(call, asked, 0), Ending.SENT
        concurrent = self.account.enter()
        try:
            return self._bill(await self._work(call, asked), asked, concurrent)
        finally:
            self.account.leave()

    def _admit(self, asked: Asked) -> Call | Answer:
        if asked.key != self.account.key:
            return rules.bad_key(asked.key)
        try:
            call = rules.read_call(asked.parameters)
        except ParameterInvalid as error:
            return rules.invalid(error)
        if self.account.exhausted:
            return rules.no_credits(self.account.max_credits)
        if self.account.full:
            return rules.too_many(self.account.max_concurrency)
        return call

    async def outage_answered(self) -> None:
        while self.faults.outage(time.monotonic()) is Fault.OUTAGE_HANG:
            await asyncio.sleep(POLL_SECONDS)

    async def _work(self, call: Call, asked: Asked) -> Answer:
        await asyncio.sleep(self.faults.latency_seconds(asked.attempt, asked.started))
        if self.faults.strikes(Fault.SERVER_ERROR, asked.attempt, asked.started):
            return rules.own_failure(Outcome.SERVER_ERROR, self.faults.pick(BROKEN_STATUSES, asked.attempt))
        try:
            self.target.check(call.url)
        except AddressRefused:
            return rules.internal_url()
        headers = {**rules.target_headers(call, asked.headers, BROWSER), **self._marks(call, asked)}
        try:
            fetched = await self.target.fetch(call.url, headers, call.timeout_ms)
        except NothingAnswered:
            fetched = rules.unreached(call)
        except TimeoutError:
            return rules.timed_out()
        return self._distort(rules.target_answer(call, fetched), asked)

    def _marks(self, call: Call, asked: Asked) -> dict[str, str]:
        """For the small web: who asks, and whether to show the page as a browser would have it."""
        rendered = {"X-Demo-Rendered": self._via_token if call.render_js else ""}
        return {"X-Demo-Via": self._via_token, "X-Demo-Method": asked.method, **rendered}

    def _distort(self, answer: Answer, asked: Asked) -> Answer:
        """The page or the price tag is wrong, the bill is not."""
        if self._strikes(Fault.CAPTCHA, answer, asked):
            kept = tuple(pair for pair in answer.headers if pair[0] != "Content-Type")
            answer = replace(answer, status=200, headers=(*kept, ("Content-Type", "text/html")), body=CAPTCHA_PAGE)
        if self._strikes(Fault.EMPTY_BODY, answer, asked):
            answer = replace(answer, body=b"")
        if self._strikes(Fault.UNKNOWN_STATUS, answer, asked):
            answer = replace(answer, status=UNKNOWN_STATUS)
        untagged = tuple(pair for pair in answer.headers if pair[0] != "Spb-cost")
        if self._strikes(Fault.MISSING_COST, answer, asked):
            answer = replace(answer, headers=untagged)
        if self._strikes(Fault.MALFORMED_COST, answer, asked):
            tag = ("Spb-cost", self.faults.pick(BROKEN_COSTS, asked.attempt))
            answer = replace(answer, headers=(*untagged, tag))
        return answer

    def _bill(self, answer: Answer, asked: Asked, concurrent: int) -> tuple[Answer, Ending]:
        if self._strikes(Fault.DIE_BEFORE_BILLING, answer, asked):
            os._exit(KILLED)
        if self._strikes(Fault.DIE_AFTER_ANSWER, answer, asked):
            return answer, Ending.SENT_THEN_DEAD
        ending = Ending.SENT
        if self._strikes(Fault.RESET_BEFORE_BILLING, answer, asked):
            answer, ending = replace(answer, cost=0), Ending.RESET
        elif self._strikes(Fault.RESET_AFTER_BILLING, answer, asked):
            ending = Ending.RESET
        elif self._strikes(Fault.CUT_BODY, answer, asked):
            ending = Ending.CUT
        answer = self._settle(answer, asked, concurrent, ending)
        if self._strikes(Fault.DIE_AFTER_BILLING, answer, asked):
            os._exit(KILLED)
        return answer, ending

    def _strikes(self, fault: Fault, answer: Answer, asked: Asked) -> bool:
        return answer.outcome is Outcome.ANSWERED and self.faults.strikes(fault, asked.attempt, asked.started)

    def _settle(self, answer: Answer, asked: Asked, concurrent: int, ending: Ending = Ending.SENT) -> Answer:
        ended = time.monotonic()
        self.account.charge(answer.cost, ended)
        parameters = {name: value for name, value in asked.parameters.items() if name != "api_key"}
        call_id = self.truth.next_id()
        record = Record(
            id=call_id,
            unix_time=time.time(),
            started=asked.started,
            ended=ended,
            url=asked.url,
            tag=asked.parameters.get("tag", ""),
            method=asked.method,
            params=parameters,
            status=0 if ending is Ending.RESET else answer.status,
            outcome=answer.outcome,
            cost=answer.cost,
            key=fingerprint(asked.key),
            concurrent=concurrent,
            render_js_stated="render_js" in asked.parameters,
            key_in_url="api_key" in asked.parameters,
        )
        self.truth.write(record)
        return rules.numbered(answer, call_id)


def outage_answer(outage: Fault) -> tuple[Answer, Ending]:
    """One that hangs is left by a reset when it ends."""
    ending = Ending.SENT if outage is Fault.OUTAGE_ERROR else Ending.RESET
    return rules.own_failure(Outcome.OUTAGE, 500), ending
