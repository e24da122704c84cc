"""Clients that speak HTTP to a port of TLS are told so, as Go tells them."""

import asyncio
import ssl
from typing import Any

TOLD = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"


class Conversation(ssl.SSLObject):
    """The TLS of one connection, until it turns out that there is none."""

    outgoing: ssl.MemoryBIO
    is_plain = False

    def do_handshake(self) -> None:
        """Shake hands; a request in plain text ends that as if it had succeeded."""
        try:
            super().do_handshake()
        except ssl.SSLError as error:
            if error.reason != "HTTP_REQUEST":
                raise
            # An event loop drops what is to be sent when a handshake fails, but not after it.
            self.outgoing.write(TOLD)
            self.is_plain = True

    def read(self, *wanted: Any) -> Any:
        """Read what the client says, if that is of any interest."""
        if self.is_plain:
            raise ssl.SSLWantReadError
        return super().read(*wanted)

    def getpeercert(self, binary_form: bool = False) -> Any:
        """Give the certificate of the client, if it has any."""
        return None if self.is_plain else super().getpeercert(binary_form)

    def unwrap(self) -> Any:
        """End the connection; without TLS there is no farewell."""
        return None if self.is_plain else super().unwrap()


def is_plain(transport: asyncio.BaseTransport) -> bool:
    """Tell whether a client spoke no TLS: it has its answer, and the connection must end."""
    conversation = transport.get_extra_info("ssl_object")
    return isinstance(conversation, Conversation) and conversation.is_plain


class Context(ssl.SSLContext):
    """A context whose connections know where their bytes go out."""

    sslobject_class = Conversation

    def wrap_bio(
        self, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO, *rest: Any, **more: Any
    ) -> ssl.SSLObject:
        """Begin the TLS of one connection."""
        conversation = super().wrap_bio(incoming, outgoing, *rest, **more)
        assert isinstance(conversation, Conversation)
        conversation.outgoing = outgoing
        return conversation
