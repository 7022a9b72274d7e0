"""The HTTP service and its web page, on top of search and the judge."""
