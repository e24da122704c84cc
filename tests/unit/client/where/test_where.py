from kedge.client import where


def test_the_public_names() -> None:
    assert sorted(where.__all__) == [
        "Access",
        "ConfigError",
        "Credentials",
        "Login",
        "LoginFailed",
        "NothingConfigured",
        "Overrides",
        "explicit",
        "find",
        "from_kubeconfig",
        "in_cluster",
    ]
