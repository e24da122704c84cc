"""Get."""

from kedge.apiserver.call import Call
from kedge.apiserver.forms import Forms
from kedge.apiserver.http.reply import Reply
from kedge.apiserver.objects import Objects
from kedge.apiserver.verbs.versions import parse_revision
from kedge.kube.errors import BadRequest, not_found
from kedge.kube.refusals import too_large_version

NO_EXPORT = "the export parameter, deprecated since v1.14, is no longer supported"


class Get:
    """Answers GET of one object."""

    def __init__(self, objects: Objects, forms: Forms) -> None:
        """Read from these objects, answer in these forms."""
        self.objects = objects
        self.forms = forms

    async def __call__(self, call: Call) -> Reply:
        """Give the object as it is stored."""
        if call.query.values:
            self._check_options(call)
        record = self.objects.get(call.resource, call.namespace, call.name)
        if record is None:
            raise not_found(call.resource.group, call.resource.plural, call.name)
        return self.forms.one(call, 200, record)

    def _check_options(self, call: Call) -> None:
        if call.query.flag("export"):
            raise BadRequest(NO_EXPORT)
        revision = parse_revision(call.query.text("resourceVersion"))
        if revision > self.objects.log.revision:
            raise too_large_version(revision, self.objects.log.revision)
