"""The suites, a folder each. Suites never import each other, and nothing else names one."""
