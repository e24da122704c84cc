"""Build the real promtool, which the tests of the alert rules run.

Usage: python -m tools.promtool.build

It goes to the user's cache folder, kedge/promtool/VERSION/; what is there with the right version
is left as it is. go.mod and go.sum pin every module.
"""

from pathlib import Path

from tools.goprogram import GoProgram

VERSION = "3.15.0"
MODULE = "github.com/prometheus/prometheus"
PROMTOOL = GoProgram(
    name="promtool",
    release=VERSION,
    sources=Path(__file__).parent,
    package=f"{MODULE}/cmd/promtool",
    # Release 3.N.P is version 0.3NN.P of the module.
    module=f"{MODULE} v0.315.0",
    ldflags=f"-s -w -X github.com/prometheus/common/version.Version={VERSION}",
    # Service discovery of clouds, which no rule needs, would take most of the time of a build.
    tags="remove_all_sd",
)

if __name__ == "__main__":
    PROMTOOL.build()
