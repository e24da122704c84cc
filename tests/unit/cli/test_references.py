"""Images and URLs that flags name are looked at before anything is done with them."""

import pytest

from kedge.cli.operator.settings import IMAGE
from kedge.cli.references import image_problem, url_problem

DIGEST = "sha256:" + "a1" * 32


@pytest.mark.parametrize(
    "image",
    [
        IMAGE,
        "kedge",
        "kedge:1",
        "org/kedge",
        "localhost:5000/kedge:dev",
        "127.0.0.1:5000/a/b/c",
        "[fd00::1]:5000/kedge",
        "Registry.Example/kedge",
        "a__b/c-d/e.f--g:A_b.c-d",
        f"kedge@{DIGEST}",
        f"registry.example/kedge:1.2@{DIGEST}",
    ],
)
def test_an_image_is_taken(image: str) -> None:
    assert image_problem("--image", image) == ""


@pytest.mark.parametrize(
    "image",
    [
        "",
        " kedge",
        "kedge ",
        "kedge\n",
        "Kedge",
        "org/Kedge",
        "kedge:",
        "kedge:" + "a" * 129,
        "kedge:-a",
        "kedge:1+2",
        "/kedge",
        "kedge/",
        "a//b",
        "a___b",
        "https://registry.example/kedge",
        "kedge@sha256:12",
        "kedge@",
        "kedge:1:2",
        "a" * 1025,
    ],
)
def test_what_is_no_image_is_refused(image: str) -> None:
    told = f"--image {image!r} is no image; write it as REGISTRY/NAME:TAG"
    assert image_problem("--image", image).startswith(told)


@pytest.mark.parametrize(
    "url", ["http://a", "https://kedge.example.com", "https://a:8443/files/", "http://[fd00::1]:80"]
)
def test_a_url_is_taken(url: str) -> None:
    assert url_problem("--download-url", url) == ""


@pytest.mark.parametrize(
    "url", ["a.example", "ftp://a", "https://", "https:///x", "http://a b", "http://a?x", "//a"]
)
def test_what_is_no_url_is_refused(url: str) -> None:
    told = f"--download-url {url!r} is no URL; write it as https://HOST:PORT"
    assert url_problem("--download-url", url) == told
