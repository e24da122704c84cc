"""What is raised when the cluster or the user cannot be made out.

ConfigError            a field cannot be honoured; the text names it, and never holds a secret
├── NothingConfigured  there is no field at all: no file, or files that say nothing
└── LoginFailed        credentials could not be fetched; it may work another time
"""

from kedge.client.errors import ClientError

LONGEST = 256
"""Characters of foreign text in a message."""


class ConfigError(ClientError):
    """Something about where the cluster is, or who we are, cannot be honoured."""


class NothingConfigured(ConfigError):
    """No configuration was found where it was looked for."""


class LoginFailed(ConfigError):
    """A program or an identity provider did not give out credentials; it may do so later."""


def shown(text: str) -> str:
    """Make foreign text fit for a message: one line, printable, cut."""
    line = "".join(one if one.isprintable() else " " for one in text)
    line = " ".join(line.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
