"""`kedge install` without a cluster: what it prints, and what it refuses."""

import base64
import json
import re
from pathlib import Path

import pytest
import yaml

from kedge.cli.install.manifests import manifests
from kedge.cli.install.refused import REFUSED
from kedge.cli.install.settings import InstallSettings, Location, ServerFlags, Share
from tests.unit.cli.conftest import Run

NOWHERE = "/nowhere/kubeconfig"


def test_a_dry_run_prints_yaml_and_asks_no_cluster(kedge: Run) -> None:
    done = kedge("install", "--dry-run", KUBECONFIG=NOWHERE)
    assert done.exit_code == 0
    assert list(yaml.safe_load_all(done.stdout)) == manifests(InstallSettings())


@pytest.mark.parametrize("flags", [("-o", "yaml"), ("--dry-run", "--output=yaml")])
def test_an_output_prints_and_sends_nothing(kedge: Run, flags: tuple[str, ...]) -> None:
    done = kedge("install", *flags, KUBECONFIG=NOWHERE)
    assert (done.exit_code, done.stdout) == (0, kedge("install", "--dry-run").stdout)


def test_json_is_one_list_of_the_same_objects(kedge: Run) -> None:
    found = json.loads(kedge("install", "-o", "json").stdout)
    assert (found["apiVersion"], found["kind"]) == ("v1", "List")
    assert found["items"] == manifests(InstallSettings())


def test_crds_only_are_the_kinds_alone(kedge: Run) -> None:
    found = list(yaml.safe_load_all(kedge("install", "--crds-only", "--dry-run").stdout))
    assert {obj["kind"] for obj in found} == {"CustomResourceDefinition"}
    assert found == manifests(InstallSettings())[: len(found)]


def test_every_flag_reaches_the_manifests(kedge: Run) -> None:
    done = kedge(
        "install", "--dry-run=true", "--apply", "--wait=false", "-n", "harbour",
        "--image", "kedge:dev", "--replicas", "2", "--schedule-skip-immediately",
        "--sa-annotations", "a=b", "--pod-annotations", "c=d,e=f", "--pod-annotations", "g=h",
        "--pod-labels", "i=j", "--server-priority-class-name", "high",
        "--velero-pod-cpu-request", "1", "--velero-pod-mem-request", "2Mi",
        "--velero-pod-cpu-limit", "3", "--pod-mem-limit", "4Mi",
        "--pod-ephemeral-storage-request", "5Mi", "--restore-only", "--concurrent-backups", "4",
        "--disable-controllers", "gc", "--garbage-collection-frequency", "30m",
        "--volume-claim", "disk", "--download-url", "https://a.example",
    )  # fmt: skip
    settings = InstallSettings(
        namespace="harbour",
        image="kedge:dev",
        replicas=2,
        server=ServerFlags(
            schedule_skip_immediately=True,
            restore_only=True,
            disabled_controllers="gc",
            concurrent_backups=4,
            gc_frequency="30m",
        ),
        volume_claim="disk",
        download_url="https://a.example",
        account_annotations={"a": "b"},
        pod_annotations={"c": "d", "e": "f", "g": "h"},
        pod_labels={"i": "j"},
        priority_class="high",
        share=Share("1", "2Mi", "3", "4Mi", "5Mi"),
    )
    assert list(yaml.safe_load_all(done.stdout)) == manifests(settings)


@pytest.mark.parametrize("before", [True, False])
def test_the_namespace_may_stand_before_the_command(kedge: Run, before: bool) -> None:
    words = ("-n", "harbour", "install") if before else ("install", "-n", "harbour")
    found = list(yaml.safe_load_all(kedge(*words, "--dry-run").stdout))
    assert found == manifests(InstallSettings(namespace="harbour"))


def test_the_namespace_may_come_from_the_environment(kedge: Run) -> None:
    done = kedge("install", "--dry-run", KEDGE_NAMESPACE="harbour")
    assert list(yaml.safe_load_all(done.stdout)) == manifests(InstallSettings(namespace="harbour"))


def test_the_defaults_of_the_flags_are_those_of_the_settings(kedge: Run) -> None:
    share = Share()
    text = kedge("install", "--help").stdout
    words = [
        share.cpu_request,
        share.memory_request,
        share.storage_request,
        share.cpu_limit,
        share.memory_limit,
    ]
    found = re.findall(
        r"-request AMOUNT.*?default:\s+([\w.]+)\]|-limit AMOUNT.*?default:\s+([\w.]+)\]",
        text,
        re.DOTALL,
    )
    assert [a or b for a, b in found] == words
    assert re.findall(r"default:\s+([\w.]+)\]", text)[-1] == InstallSettings().namespace


@pytest.mark.parametrize("flag", sorted(REFUSED))
def test_a_flag_of_velero_without_a_meaning_is_refused_by_name(kedge: Run, flag: str) -> None:
    for written in ([flag], [flag, "value"], [f"{flag}=value"]):
        done = kedge("install", *written, KUBECONFIG=NOWHERE)
        expected = f"kedge: {flag} has no meaning here: {REFUSED[flag]}"
        assert (done.exit_code, done.stderr.startswith(expected)) == (2, True)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        pytest.param(["--nope"], "no such option", id="nobody's flag"),
        pytest.param(["more"], "unexpected extra argument", id="an argument"),
        pytest.param(
            ["-o", "table"],
            "'table' format is not supported with 'install' command",
            id="a table",
        ),
        pytest.param(["--replicas", "-1"], "--replicas", id="fewer than none"),
        pytest.param(["--replicas", "2147483648"], "--replicas", id="more than there are"),
        pytest.param(["--pod-labels", "a"], "is not key=value", id="no pair"),
        pytest.param(["--dry-run=maybe"], "neither true nor false", id="no truth"),
        pytest.param(["-n", "a.b"], '"a.b" is no name of a namespace', id="no namespace"),
        pytest.param(["--image", ""], "--image '' is no image", id="no image"),
        pytest.param(["--concurrent-backups", "0"], "--concurrent-backups", id="no backups"),
        pytest.param(
            ["--garbage-collection-frequency", "1"], "is not a duration", id="no duration"
        ),
        pytest.param(["--garbage-collection-frequency=-1h"], "is negative", id="before it failed"),
        pytest.param(["--timeout", "0"], "--timeout", id="no time"),
        pytest.param(["--dry-run", "--wait"], "nothing is sent", id="nothing to wait for"),
        pytest.param(["-o", "yaml", "--wait"], "nothing is sent", id="nothing to wait for here"),
    ],
)
def test_wrong_usage_is_one_line_and_2(kedge: Run, flags: list[str], words: str) -> None:
    done = kedge("install", *flags, KUBECONFIG=NOWHERE)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert words in done.stderr


BUCKET = ("--provider", "aws", "--bucket", "ours")


def test_a_location_and_its_credentials_are_made(kedge: Run, tmp_path: Path) -> None:
    file, roots = tmp_path / "cloud", tmp_path / "ca.pem"
    file.write_bytes(b"[default]\n")
    roots.write_bytes(b"-----BEGIN CERTIFICATE-----\n")
    done = kedge(
        "install", "--dry-run", *BUCKET, "--prefix", "p", "--secret-file", str(file),
        "--backup-location-config", "region=eu-west-1", "--cacert", str(roots),
    )  # fmt: skip
    encoded = base64.b64encode(roots.read_bytes()).decode()
    location = Location("aws", "ours", "p", {"region": "eu-west-1"}, encoded)
    settings = InstallSettings(location=location, credentials=b"[default]\n")
    assert list(yaml.safe_load_all(done.stdout)) == manifests(settings)


@pytest.mark.parametrize(
    ("flags", "settings"),
    [
        pytest.param(
            [*BUCKET, "--no-secret"],
            InstallSettings(location=Location("aws", "ours")),
            id="an identity of the pod",
        ),
        pytest.param(["--no-default-backup-location"], InstallSettings(), id="later"),
        pytest.param(
            ["--no-default-backup-location", "--no-secret"], InstallSettings(), id="as in Velero"
        ),
        pytest.param(
            ["--provider=kedge.dev/filesystem", "--bucket=ours", "--volume-claim=disk"],
            InstallSettings(location=Location("kedge.dev/filesystem", "ours"), volume_claim="disk"),
            id="a folder needs no credentials",
        ),
    ],
)
def test_no_secret_is_made_unless_a_file_is_given(
    kedge: Run, flags: list[str], settings: InstallSettings
) -> None:
    done = kedge("install", "--dry-run", *flags)
    assert list(yaml.safe_load_all(done.stdout)) == manifests(settings)


def test_a_secret_can_be_made_without_a_location(kedge: Run, tmp_path: Path) -> None:
    file = tmp_path / "cloud"
    file.write_bytes(b"x")
    flags = ("--no-default-backup-location", "--secret-file", str(file))
    done = kedge("install", "--dry-run", *flags)
    assert list(yaml.safe_load_all(done.stdout)) == manifests(InstallSettings(credentials=b"x"))


NEEDED = "One of --secret-file or --no-secret is required"


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        pytest.param(["--bucket", "b", "--no-secret"], "--provider is required", id="provider"),
        pytest.param(["--provider", "aws", "--no-secret"], "--bucket is required", id="bucket"),
        pytest.param(["--no-secret"], "--provider is required", id="nothing for no secret"),
        pytest.param(["--secret-file", "f"], "--provider is required", id="nothing for a secret"),
        pytest.param(["--prefix", "p"], "--provider is required", id="a folder of nothing"),
        pytest.param([*BUCKET], NEEDED, id="secret or none"),
        pytest.param([*BUCKET, "--secret-file", "f", "--no-secret"], "cannot use both", id="both"),
        pytest.param(
            ["--bucket", "b", "--no-default-backup-location"],
            "cannot use both --bucket and --no-default-backup-location",
            id="a bucket for no location",
        ),
        pytest.param(
            ["--provider", "aws", "--bucket", "-b", "--no-secret"],
            "--bucket '-b' must not begin with '-'",
            id="a flag for a bucket",
        ),
        pytest.param(
            ["--provider=kedge.dev/filesystem", "--bucket=b", "--secret-file=f"],
            "takes no credentials",
            id="credentials for a folder",
        ),
    ],
)
def test_flags_of_a_location_that_do_not_go_together_are_refused(
    kedge: Run, flags: list[str], words: str
) -> None:
    done = kedge("install", "--dry-run", *flags)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert words in done.stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "can not read"),
        (b" \n", "is empty"),
        (b"x" * (1024 * 1024 + 1), "is larger than a Secret can be"),
    ],
)
def test_credentials_that_can_not_be_used_are_refused(
    kedge: Run, tmp_path: Path, content: bytes | None, words: str
) -> None:
    file = tmp_path / "cloud"
    if content is not None:
        file.write_bytes(content)
    done = kedge("install", "--dry-run", *BUCKET, "--secret-file", str(file))
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"--secret-file: {'can not read ' if content is None else ''}{file}" in done.stderr
    assert words in done.stderr


def test_a_kubeconfig_that_is_not_there_is_one_line_and_1(kedge: Run, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    done = kedge("install", "--kubeconfig", str(missing))
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert str(missing) in done.stderr
