"""What a paid call leaves behind, whoever was paid."""

from prospector.core.visits.evidence import Evidence
from prospector.errors import ProspectorError

CHARGED_CREDITS = "charged_credits"  # in the meta of the request: what the call cost; None where nobody knows


class PaidCallFailed(ProspectorError):
    """There is no page: `evidence` says why. `charged_credits` is None where nobody knows: then the reservation stays.

    `allowed_concurrency` is what a busy provider says our account may have in flight at most.
    """

    def __init__(
        self,
        evidence: Evidence,
        problem: str,
        charged_credits: int | None,
        allowed_concurrency: int | None = None,
        remedy: str = "",
    ) -> None:
        super().__init__(problem, remedy)
        self.evidence = evidence
        self.charged_credits = charged_credits
        self.allowed_concurrency = allowed_concurrency

    def as_outage(self) -> "PaidCallFailed":
        """The same call, where others fail as well: it says nothing of its page."""
        return PaidCallFailed(Evidence.PROVIDER_OUT, self.problem, self.charged_credits)


class PriceMissing(ProspectorError):
    """A call was answered without saying what it cost."""


class PriceMalformed(ProspectorError):
    """What a call cost is said in words that are no number of credits."""
