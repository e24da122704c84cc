"""Write the parts of the reference that come from the code: `python -m tools.reference`."""

from tools.reference.pages import due, stale

for path in stale():
    path.write_text(due(path), "utf-8")
