"""The kinds of `velero.io/v1`, one module each; fields and values are Velero's."""
