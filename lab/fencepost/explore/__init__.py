# SPDX-License-Identifier: MIT
"""From a program to its executions: processes, bounds, a sandbox, clusters."""
