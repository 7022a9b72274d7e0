"""The reproduction of the paper: its figures beside ours, and how ours were made and recorded."""
