// SPDX-License-Identifier: MIT
// Memory that is never freed and to which nothing leads.
#pragma once

namespace fencepost::checker {

// At the end of an execution: heap blocks that nothing leads to any more.
void judge_leaks();

}  // namespace fencepost::checker
