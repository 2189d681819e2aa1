# SPDX-License-Identifier: MIT
# bash reads this when somebody asks for the first time how a line with fencepost goes on.
eval "$(fencepost --completion bash 2>/dev/null)"
