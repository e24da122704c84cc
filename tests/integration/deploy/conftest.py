"""The real Helm and promtool, one of each for all tests."""

from pathlib import Path

import pytest

from tests.integration.deploy.chart import Helm
from tests.integration.deploy.programs import needed
from tools.helm.build import HELM
from tools.promtool.build import PROMTOOL


@pytest.fixture(scope="session")
def helm(tmp_path_factory: pytest.TempPathFactory) -> Helm:
    """Helm, or a reason to skip."""
    return Helm(needed(HELM), tmp_path_factory.mktemp("helm"))


@pytest.fixture(scope="session")
def promtool() -> Path:
    """Promtool, or a reason to skip."""
    return needed(PROMTOOL)
