"""WebActor: web search and pages, fetched for scripts that have no network."""
