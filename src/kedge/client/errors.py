"""What goes wrong between us and a server; what a server says is an `ApiError` of `kedge.kube`.

ClientError
├── Unreachable        no connection: the request was not sent
├── Disconnected       the connection broke: whether the request was done is not known
├── DeadlineExceeded   no answer in time: whether the request was done is not known
├── BadAnswer          an answer that is not what Kubernetes gives
└── ConfigError        where the server is, or who we are, can not be found out: see `where`
"""


class ClientError(Exception):
    """A failure that has no Status, since no server told of it."""


class Unreachable(ClientError):
    """No connection could be made, so nothing was sent."""


class Disconnected(ClientError):
    """The connection broke before the answer was complete."""


class DeadlineExceeded(ClientError):
    """The answer did not come in time."""


class BadAnswer(ClientError):
    """The answer is not what Kubernetes gives."""
