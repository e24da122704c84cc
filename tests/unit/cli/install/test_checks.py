"""Settings that a cluster would refuse are refused here, by the name of the flag."""

from dataclasses import replace

import pytest

from kedge.cli.install.checks import Wrong, check
from kedge.cli.install.settings import InstallSettings, Location, ServerFlags, Share


def test_what_is_no_image_is_refused() -> None:
    with pytest.raises(Wrong, match=r"--image 'Kedge' is no image; write it as REGISTRY/NAME:TAG"):
        check(InstallSettings(image="Kedge"))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param(InstallSettings(namespace="a.b"), "--namespace 'a.b': ", id="dotted"),
        pytest.param(InstallSettings(namespace=""), "--namespace '': ", id="no namespace"),
        pytest.param(InstallSettings(namespace="a" * 64), "--namespace ", id="long namespace"),
        pytest.param(
            InstallSettings(service_account="A"), "--service-account-name 'A': ", id="account"
        ),
        pytest.param(
            InstallSettings(service_account="a", account_annotations={"b": "c"}),
            "--sa-annotations and --service-account-name exclude each other",
            id="an account that is not ours",
        ),
        pytest.param(
            InstallSettings(account_annotations={"a b": ""}), "--sa-annotations: ", id="sa key"
        ),
        pytest.param(
            InstallSettings(pod_annotations={"": "x"}), "--pod-annotations: ", id="pod key"
        ),
        pytest.param(
            InstallSettings(pod_annotations={"a": "x" * 300_000}),
            "--pod-annotations: Too long",
            id="too much of it",
        ),
        pytest.param(
            InstallSettings(pod_labels={"a": "no blanks"}), "--pod-labels: ", id="label value"
        ),
        pytest.param(
            InstallSettings(pod_labels={"app.kubernetes.io/name": "x"}),
            "--pod-labels: app.kubernetes.io/name is how the pods are found",
            id="the selector",
        ),
        pytest.param(
            InstallSettings(priority_class="A"), "--server-priority-class-name 'A': ", id="class"
        ),
        pytest.param(
            InstallSettings(server=ServerFlags(disabled_controllers="gc,nope")),
            "invalid value for --disable-controllers: nope; valid are backup, ",
            id="controller",
        ),
    ],
)
def test_a_bad_name_is_refused_by_its_flag(settings: InstallSettings, words: str) -> None:
    with pytest.raises(Wrong) as caught:
        check(settings)
    assert str(caught.value).startswith(words)


DISK = InstallSettings(volume_claim="disk")
FOLDER = "kedge.dev/filesystem"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param(
            InstallSettings(location=Location("ceph", "b")),
            "--provider 'ceph' is not known; known are: aws, ",
            id="provider",
        ),
        pytest.param(
            InstallSettings(location=Location("aws", "--prefix")),
            "--bucket '--prefix' must not begin with '-'",
            id="a flag for a bucket",
        ),
        pytest.param(
            InstallSettings(location=Location("aws", "b/p/q")),
            "--bucket 'b/p/q' must not contain '/'; write it as --bucket b --prefix p/q",
            id="a folder in a bucket",
        ),
        pytest.param(
            InstallSettings(location=Location(FOLDER, "b")),
            "--provider kedge.dev/filesystem needs --volume-claim",
            id="no volume",
        ),
        pytest.param(InstallSettings(volume_claim="A"), "--volume-claim 'A': ", id="claim"),
        pytest.param(
            InstallSettings(download_url="https://a"),
            "--download-url goes with --volume-claim",
            id="nothing to download",
        ),
        pytest.param(
            replace(DISK, download_url="a.example"),
            "--download-url 'a.example' is no URL",
            id="no URL",
        ),
    ],
)
def test_a_place_that_can_not_work_is_refused(settings: InstallSettings, words: str) -> None:
    with pytest.raises(Wrong) as caught:
        check(settings)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "backups",
        "/",
        "//",
        "/tmp",
        "/usr/",
        "/opt",
        "/opt/kedge/lib",
        "/proc/1",
        "/a/../tmp",
        "/a:b",
    ],
)
def test_a_folder_that_can_not_be_mounted_is_refused(path: str) -> None:
    location = Location(FOLDER, "b", config={"path": path})
    with pytest.raises(Wrong, match=r"--backup-location-config path .* (must be a|is a) folder"):
        check(replace(DISK, location=location))


@pytest.mark.parametrize("config", [{}, {"path": "/mnt"}, {"path": "/var/lib/kedge"}])
def test_a_folder_on_a_volume_is_taken(config: dict[str, str]) -> None:
    location = Location(FOLDER, "b", config=config)
    check(replace(DISK, location=location, download_url="https://a.example:8443/kedge"))


@pytest.mark.parametrize(
    ("share", "words"),
    [
        pytest.param(Share(cpu_request="lots"), "--pod-cpu-request 'lots' is no amount", id="word"),
        pytest.param(Share(memory_limit=""), "--pod-mem-limit '' is no amount", id="empty"),
        pytest.param(Share(cpu_limit="-1"), "--pod-cpu-limit '-1' must not be less", id="negative"),
        pytest.param(
            Share(storage_request="much"), "--pod-ephemeral-storage-request 'much' is", id="disk"
        ),
        pytest.param(
            Share(cpu_request="1500m"),
            "--pod-cpu-request 1500m must not be greater than --pod-cpu-limit 1",
            id="cpu over its limit",
        ),
        pytest.param(
            Share(memory_request="1Gi"),
            "--pod-mem-request 1Gi must not be greater than --pod-mem-limit 512Mi",
            id="memory over its limit",
        ),
    ],
)
def test_a_bad_amount_is_refused_by_its_flag(share: Share, words: str) -> None:
    with pytest.raises(Wrong) as caught:
        check(InstallSettings(share=share))
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    "share",
    [
        Share(),
        Share(cpu_limit="0", cpu_request="64"),
        Share(memory_limit="0Mi", memory_request="1Ti"),
        Share("0", "0", "0", "0", "0"),
        Share(cpu_request="1000m", cpu_limit="1"),
        Share(memory_request="0.5Gi", memory_limit="512Mi"),
    ],
)
def test_amounts_that_go_together_are_taken(share: Share) -> None:
    check(replace(InstallSettings(), share=share))
