"""The embedded Kubernetes API: an aiohttp application on the store. It knows no kind of ours."""
