"""Share the tests out to several processes: whole files, long ones early, few real clusters."""

from xdist.scheduler.loadscope import LoadScopeScheduling
from xdist.workermanage import WorkerController

KEEPERS = ("gw0",)
"""Processes that keep a real cluster, which costs close to a gigabyte, and CPU even at rest."""
REAL = (
    "tests/conformance/test_api.py",
    "tests/conformance/test_builtin_kinds.py",
    "tests/integration/api/",
    "tests/integration/client/",
    "tests/integration/controllers/test_prescaled_real.py",
    "tests/integration/controllers/test_schedule_kubectl.py",
    "tests/integration/deploy/test_chart_release.py",
    "tests/integration/engine/test_backup_real.py",
    "tests/integration/engine/test_backup_stores.py",
    "tests/integration/engine/test_restore_real.py",
    "tests/integration/faults/test_faults_real_cluster.py",
    "tests/integration/runtime/",
    "tests/integration/selfservice/test_tenants.py",
    "tests/integration/test_answers_on_the_wire.py",
    "tests/integration/test_hostile_",
    "tests/integration/test_real_cluster.py",
    "tests/velero/",
)
"""Where tests need a real cluster. A file that is missing here works, and costs another cluster."""
TOGETHER = ("tests/integration/install/", "tests/integration/objects/", "tests/velero/")
"""Folders whose files share servers, or a port that can be had once on a machine."""
APART = ("_crashes.py", "/test_leader.py", "/test_pages.py")
"""Ends of the names of files whose tests are long and share nothing: any process may have one."""
SHORT = "tests/unit/"
"""Tests that fill the gaps at the end."""


class Sharing(LoadScopeScheduling):
    """Gives a process a file whenever it is about to run out of tests.

    It may also be a folder of TOGETHER, or a single test of a file of APART.
    """

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        if path.endswith(APART):
            return nodeid
        return next((folder for folder in TOGETHER if path.startswith(folder)), path)

    def _assign_work_unit(self, node: WorkerController) -> None:
        keeps = node.gateway.id in KEEPERS
        # min() takes the first of equals: files of one kind keep their order.
        self.workqueue.move_to_end(
            min(self.workqueue, key=lambda one: rank(one, keeps)), last=False
        )
        super()._assign_work_unit(node)


def rank(scope: str, keeps: bool) -> tuple[bool, bool]:
    """Say how late a scope is for a process that keeps a real cluster, or does not."""
    is_real = scope.startswith(REAL) or "real" in scope.partition("[")[2]
    return is_real != keeps, scope.startswith(SHORT)
