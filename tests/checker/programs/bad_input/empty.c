// SPDX-License-Identifier: MIT
// case: nothing_at_all
// expect: all=error says="main"
