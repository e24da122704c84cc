import pytest

from kedge.client.where.choose import Overrides, choose
from kedge.client.where.entries import Cluster, Context, Impersonation, Kubeconfig, User
from kedge.client.where.errors import ConfigError, NothingConfigured

FULL = Kubeconfig(
    "a",
    {
        "a": Context("contexts[a].context", "one", "me", "ns"),
        "b": Context("contexts[b].context", "two", "you"),
        "c": Context("contexts[c].context", "one", ""),
        "d": Context("contexts[d].context", "gone", "me"),
        "e": Context("contexts[e].context", "one", "gone"),
    },
    {
        "one": Cluster("clusters[one].cluster", "https://one", tls_server_name="name", ca="/ca"),
        "two": Cluster("clusters[two].cluster", "https://two", insecure=True),
    },
    {
        "me": User(
            "users[me].user",
            "me",
            token="t",
            client_certificate="c",
            client_key_data=b"k",
            impersonation=Impersonation("boss", groups=("g",), extra={"a": ("b",)}),
        ),
        "you": User("users[you].user", "you", token_file="/f"),
    },
)


def test_the_current_context_is_the_default() -> None:
    choice = choose(FULL, None, Overrides())
    assert (choice.cluster.server, choice.user.name, choice.namespace) == (
        "https://one",
        "me",
        "ns",
    )


def test_another_context_can_be_asked_for() -> None:
    choice = choose(FULL, "b", Overrides())
    assert (choice.cluster.server, choice.user.name, choice.namespace) == (
        "https://two",
        "you",
        "default",
    )


def test_a_context_without_a_user_is_anonymous() -> None:
    assert choose(FULL, "c", Overrides()).user.name == ""


@pytest.mark.parametrize(
    ("context", "overrides", "message"),
    [
        ("x", Overrides(), "context 'x' does not exist; there are: a, b, c, d, e"),
        ("d", Overrides(), r"contexts\[d\].context.cluster 'gone' does not exist; .*: one, two"),
        ("e", Overrides(), r"contexts\[e\].context.user 'gone' does not exist; .*: me, you"),
        ("a", Overrides(user="x"), "^user 'x' does not exist"),
        ("a", Overrides(cluster="x"), "^cluster 'x' does not exist"),
    ],
)
def test_names_that_are_not_there(context: str, overrides: Overrides, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        choose(FULL, context, overrides)


def test_a_current_context_that_is_not_there() -> None:
    with pytest.raises(ConfigError, match="current-context 'x' does not exist; there are: none"):
        choose(Kubeconfig("x"), None, Overrides())


def test_no_current_context() -> None:
    with pytest.raises(ConfigError, match="current-context is not set; choose a context of: a"):
        choose(Kubeconfig("", FULL.contexts), None, Overrides())


def test_an_empty_kubeconfig_is_nothing_configured() -> None:
    with pytest.raises(NothingConfigured):
        choose(Kubeconfig(), None, Overrides())


def test_a_server_is_enough() -> None:
    choice = choose(Kubeconfig(), None, Overrides(server="https://x", token="t"))
    assert (choice.cluster.server, choice.user.token) == ("https://x", "t")


def test_another_server_has_another_name() -> None:
    cluster = choose(FULL, None, Overrides(server="https://x")).cluster
    assert (cluster.server, cluster.tls_server_name, cluster.ca) == ("https://x", "", "/ca")


def test_a_name_alone_is_overridden() -> None:
    assert choose(FULL, None, Overrides(tls_server_name="n")).cluster.tls_server_name == "n"


def test_to_trust_anybody_drops_the_authorities() -> None:
    cluster = choose(FULL, "a", Overrides(insecure=True)).cluster
    assert (cluster.insecure, cluster.ca) == (True, "")


def test_an_authority_ends_trust_in_anybody() -> None:
    cluster = choose(FULL, "b", Overrides(certificate_authority="/x")).cluster
    assert (cluster.insecure, cluster.ca, cluster.ca_data) == (False, "/x", b"")


@pytest.mark.parametrize("context", ["a", "b"])
def test_a_token_replaces_others(context: str) -> None:
    user = choose(FULL, context, Overrides(token="new")).user
    assert (user.token, user.token_file) == ("new", "")


@pytest.mark.parametrize("context", ["a", "b"])
def test_a_password_replaces_tokens(context: str) -> None:
    user = choose(FULL, context, Overrides(username="u", password="p")).user
    assert (user.token, user.token_file, user.username, user.password) == ("", "", "u", "p")


def test_certificate_files_replace_data() -> None:
    overrides = Overrides(client_certificate="/c", client_key="/k", namespace="other")
    choice = choose(FULL, None, overrides)
    user = choice.user
    assert (user.client_certificate, user.client_key, user.client_key_data) == ("/c", "/k", b"")
    assert choice.namespace == "other"
    assert user.called("client-key") == "override of client-key"
    assert user.called("token") == "users[me].user.token"


def test_whom_to_act_as_is_overridden_field_by_field() -> None:
    overrides = Overrides(impersonate="ann", impersonate_uid="1", impersonate_extra={"c": ("d",)})
    whom = choose(FULL, None, overrides).user.impersonation
    assert whom == Impersonation("ann", "1", ("g",), {"a": ("b",), "c": ("d",)})


def test_proxy_and_compression_can_be_overridden() -> None:
    cluster = choose(FULL, None, Overrides(proxy_url="http://p", disable_compression=True)).cluster
    assert (cluster.proxy_url, cluster.disable_compression) == ("http://p", True)
