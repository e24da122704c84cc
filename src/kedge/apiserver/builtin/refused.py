"""Kinds that ask for what this server does not do: it says so rather than keep them in vain."""

from typing import ClassVar

from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.resource import Context, Object
from kedge.kube.errors import forbidden

GROUP = "admissionregistration.k8s.io"
NO_WEBHOOKS = (
    "this server does not call admission webhooks, so their configuration would have no effect"
)
NO_POLICIES = "this server does not evaluate admission policies, so they would have no effect"


class _Refused(Plain):
    """A kind of which no object can be made."""

    namespaced = False
    plural: ClassVar[str] = ""
    why: ClassVar[str] = ""

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Refuse."""
        raise forbidden(GROUP, self.plural, obj["metadata"].get("name", ""), self.why)


class MutatingWebhookConfigurationStrategy(_Refused):
    """Hooks of admissionregistration.k8s.io/v1 MutatingWebhookConfiguration."""

    plural, why = "mutatingwebhookconfigurations", NO_WEBHOOKS


class ValidatingWebhookConfigurationStrategy(_Refused):
    """Hooks of admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration."""

    plural, why = "validatingwebhookconfigurations", NO_WEBHOOKS


class ValidatingAdmissionPolicyStrategy(_Refused):
    """Hooks of admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy."""

    plural, why = "validatingadmissionpolicies", NO_POLICIES


class ValidatingAdmissionPolicyBindingStrategy(_Refused):
    """Hooks of admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding."""

    plural, why = "validatingadmissionpolicybindings", NO_POLICIES
