"""The wire: paths, query options, media types, replies. Nothing here knows what an object means."""
