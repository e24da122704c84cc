"""The command line: the only place that knows all parts of Kedge.

A folder, or a module, is a command; `app` has the table of them. What commands share:

start        main, plugin, app, lazy, codes, program
ask          flags, refusing, durations, instants, references, manifest, listening
reach        connection, selection, errors, hints
look         following, waiting, meter, download, gunzip, loaded
change       sending, removal
tell         output, screen, table, tabs, stream
tell more    objects, listing, description, findings, podvolumes, runlog
serve        operator, loop, logs
"""
