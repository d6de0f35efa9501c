"""Answers of vision-language models in the words of their families: one module per style, `families` is the table."""
