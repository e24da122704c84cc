"""A slow cron that is obviously right: the judge of `kedge.cron`, sharing no code with it."""
