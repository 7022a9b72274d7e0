"""Networks and how they are trained; nothing here knows where expressions come from."""
