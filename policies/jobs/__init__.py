"""Jobs: work that outlives a request, safe to run twice, resumed after a kill.

A kind of job is registered from `AppConfig.ready` and started by a service:

    register("formalize", handle=formalize_span, save=keep_unit, finalize=join_units)
    start_job(policy, user, "formalize", items=[("span:7", {"span": 7})], key="revision:3")

The rows are the truth; which engine runs them is a setting.
"""

from policies.jobs.limits import MAX_ATTEMPTS
from policies.jobs.progress import Progress, progress_of
from policies.jobs.registry import Context, JobError, PausedError, PutBackError, register
from policies.jobs.starting import cancel_job, resume_job, retry_failed, start_job

__all__ = [
    "MAX_ATTEMPTS",
    "Context",
    "JobError",
    "PausedError",
    "Progress",
    "PutBackError",
    "cancel_job",
    "progress_of",
    "register",
    "resume_job",
    "retry_failed",
    "start_job",
]
