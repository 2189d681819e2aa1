# SPDX-License-Identifier: MIT
"""Verdicts and executions for readers: text, SVG, HTML, SARIF, JUnit."""
