"""From the bytes of a request to an object as a Go server holds it, with Go's words for errors."""
