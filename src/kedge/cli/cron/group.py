"""`kedge cron`: the table of its commands."""

from kedge.cli.lazy import Entry, LazyGroup

COMMANDS = {
    "next": Entry("kedge.cli.cron.runs:next_", "List the coming runs."),
    "prev": Entry("kedge.cli.cron.runs:prev", "List the past runs, the latest first."),
    "between": Entry("kedge.cli.cron.runs:between", "List the runs from one time to another."),
    "explain": Entry("kedge.cli.cron.explain:explain", "Say in plain English when it runs."),
    "check": Entry("kedge.cli.cron.check:check", "Say whether an expression is valid."),
    "prime": Entry("kedge.cli.cron.prime:prime", "Work out when to warm up ahead of each run."),
}

cron = LazyGroup(
    "cron",
    COMMANDS,
    short_help="Ask questions about cron schedules.",
    help="""Ask questions about cron schedules.

    An expression has five fields (minute, hour, day of month, month, day of week) or is a
    descriptor such as @daily or "@every 90m", with an optional CRON_TZ=Zone in front: what Velero
    and Kubernetes CronJobs take. Put it in quotes.
    """,
)
