"""PreScaledCronJobs: CronJobs that start before their runs, and wait on warm nodes."""
