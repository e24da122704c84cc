"""The kinds of psc.cronprimer.local: CronJobs whose pods are warm before the run."""
