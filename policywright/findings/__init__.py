"""The finding for facts and a claim, with the rules behind it or two scenarios."""

from policywright.finding_kinds import FindingKind
from policywright.findings.check import check_claim, find
from policywright.findings.finding import Finding, Scenarios
from policywright.findings.warm import WarmChecker

__all__ = ["Finding", "FindingKind", "Scenarios", "WarmChecker", "check_claim", "find"]
