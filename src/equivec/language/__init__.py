"""The language of formulas: trees over layers of operators, read and written in every notation.

Standard library only. Numbers, verdicts and models are the business of the rooms above.
"""
