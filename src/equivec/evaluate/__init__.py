"""The measures expressions' vectors are judged by, one module a table or figure."""
