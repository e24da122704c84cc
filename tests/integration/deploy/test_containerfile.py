"""The steps of the Containerfile are run in a folder, and what comes out of them works."""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from kedge import __version__
from tests.integration.deploy.containerfile import Stage, stages
from tests.integration.deploy.image import Image, StepError, build
from tests.real_cluster.fixture import REQUIRED

ROOT = Path(__file__).parents[3]
STAGES = stages(ROOT / "Containerfile")
OFFLINE = ("NewConnectionError", "ConnectTimeoutError", "Name or service not known")
SOMEBODY = 65532
UNCOMPILED = """
import sys
from kedge.cli.main import main
try:
    main()
except SystemExit:
    pass
origins = [m.__spec__ for m in sys.modules.values() if getattr(m, "__spec__", None)]
print([s.origin for s in origins if (s.origin or "").endswith(".py")
       and not __import__("os").path.exists(s.cached)], file=sys.stderr)
"""


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    """What the steps make, at a place that anybody may enter."""
    with tempfile.TemporaryDirectory(prefix="kedge-") as folder:
        root = Path(folder)
        root.chmod(0o755)
        try:
            made = build(root, ROOT, STAGES)
        except StepError as error:
            if any(word in str(error) for word in OFFLINE) and os.environ.get(REQUIRED) != "1":
                pytest.skip("the wheels of the image are not at hand, and no index answers")
            raise
        for path in [root / "opt", root / "usr", *root.glob("*/**/")]:
            path.chmod(0o555)
        made.inside("/tmp").chmod(0o1777)
        yield made
        for path in root.glob("**/"):
            path.chmod(0o755)


def kedge(image: Image, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the entrypoint as the image would: with its user and its variables."""
    (program,) = STAGES[-1].last("ENTRYPOINT").words
    return run(image, [program, *arguments], **environ)


def run(image: Image, words: list[str], **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a program as the user of the image, as far as we may."""
    may_change = os.geteuid() == 0
    program = image.mapped(f"/opt/kedge/bin/{words[0]}")
    seen = {name: value for name, value in image.seen().items() if not name.startswith("PIP_")}
    return subprocess.run(
        [program, *words[1:]],
        env={**seen, **environ},
        cwd=image.inside("."),
        user=SOMEBODY if may_change else None,
        group=SOMEBODY if may_change else None,
        extra_groups=[] if may_change else None,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


class TestTheFile:
    """What can be told without running a step."""

    last: Stage = STAGES[-1]

    def test_the_user_is_a_number_and_not_root(self) -> None:
        assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", self.last.last("USER").text)
        names = [step.name for step in self.last.steps]
        assert names.index("USER") > max(n for n, name in enumerate(names) if name == "RUN")

    def test_no_shell_is_needed_to_start(self) -> None:
        assert self.last.last("ENTRYPOINT").is_exec
        assert self.last.last("ENTRYPOINT").words == ["kedge"]
        assert not self.last.all("CMD")

    def test_all_stages_have_one_interpreter(self) -> None:
        assert len({stage.base for stage in STAGES}) == 1

    def test_nothing_is_installed_without_its_hash_or_from_source(self) -> None:
        installs = [
            step.text for stage in STAGES for step in stage.all("RUN") if "pip" in step.words[0]
        ]
        assert len(installs) == 4
        for text in installs:
            is_ours = "--no-index" in text and "--no-deps" in text
            assert is_ours or ("--require-hashes" in text and "--only-binary=:all:" in text)

    def test_the_labels(self) -> None:
        labels = self.last.pairs("LABEL")
        assert all(name.startswith("org.opencontainers.image.") for name in labels)
        assert {name.rpartition(".")[2] for name in labels} >= {"title", "version", "licenses"}


@pytest.mark.slow
class TestTheImage:
    """What the steps make."""

    def test_it_tells_its_version(self, image: Image) -> None:
        done = kedge(image, "version", "--client-only")
        assert (done.returncode, done.stderr) == (0, "")
        assert f"Version: v{__version__}\n" in done.stdout

    def test_a_pod_can_be_held(self, image: Image) -> None:
        done = kedge(image, "warmup", "--help")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("Usage: kedge warmup")

    @pytest.mark.parametrize("command", ["warmup", "server"])
    def test_nothing_that_it_loads_must_be_compiled_first(self, image: Image, command: str) -> None:
        done = run(image, ["python", "-c", UNCOMPILED, command, "--help"])
        assert done.stderr == "[]\n"

    def test_bytecode_is_not_compared_with_its_source(self, image: Image) -> None:
        found = list(image.inside("/opt/kedge").glob("lib/*/site-packages/kedge/**/*.pyc"))
        assert len(found) > 300
        assert {path.read_bytes()[4:8] for path in found} == {b"\x01\x00\x00\x00"}

    def test_it_knows_the_zones_of_a_system_that_has_none(self, image: Image) -> None:
        code = "import zoneinfo; print(zoneinfo.ZoneInfo('Europe/Berlin'), zoneinfo.TZPATH)"
        done = run(image, ["python", "-c", code], PYTHONTZPATH="")
        assert (done.stdout, done.stderr) == ("Europe/Berlin ()\n", "")

    def test_what_makes_it_quick_and_what_reads_rules_is_there(self, image: Image) -> None:
        done = run(image, ["python", "-c", "import re2, uvloop, isal, obstore, apsw"])
        assert (done.returncode, done.stderr) == (0, "")

    def test_neither_pip_nor_a_build_backend_is_there(self, image: Image) -> None:
        done = run(image, ["python", "-c", "import pip"])
        assert "No module named 'pip'" in done.stderr
        assert not list(image.inside("/opt/kedge").glob("lib/*/site-packages/hatchling"))

    def test_it_starts_without_a_shell(self, image: Image) -> None:
        first = image.inside("/opt/kedge/bin/kedge").read_text("utf-8").splitlines()[0]
        assert first == "#!" + image.mapped("/opt/kedge/bin/python")

    def test_nothing_was_written_where_nothing_may_be(self, image: Image) -> None:
        before = sorted(image.root.glob("[!t]*/**/*"))
        assert kedge(image, "cron", "next", "0 3 * * *", "--zone", "Europe/Berlin").returncode == 0
        assert sorted(image.root.glob("[!t]*/**/*")) == before
