"""Create."""

from kedge.apiserver.call import Call
from kedge.apiserver.codec import Codec
from kedge.apiserver.forms import Forms
from kedge.apiserver.http.query import write_options
from kedge.apiserver.http.reply import Reply
from kedge.apiserver.verbs.writing import Writing, Written


class Create:
    """Answers POST to a collection."""

    def __init__(self, writing: Writing, codec: Codec, forms: Forms) -> None:
        """Write through `writing`."""
        self.writing = writing
        self.codec = codec
        self.forms = forms

    async def __call__(self, call: Call) -> Reply:
        """Store the object in the body."""
        options = write_options(call.query, "CreateOptions")
        obj = await self.codec.aside(call.weight, self.codec.read, call, options.validation)
        return show(self.forms, call, await self.writing.create(call, obj, options))


def show(forms: Forms, call: Call, written: Written) -> Reply:
    """Give the answer to a write."""
    code = 201 if written.created else 200
    if written.record is not None:
        return forms.one(call, code, written.record)
    return forms.one_object(call, code, written.obj)
