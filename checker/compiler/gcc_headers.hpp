// SPDX-License-Identifier: MIT
// What the plugin uses of gcc.
#pragma once

#include <cstring>

// gcc's headers need those before them.
// clang-format off
#include <gcc-plugin.h>
#include <plugin-version.h>
#include <tree.h>
#include <stringpool.h>
#include <attribs.h>
#include <fold-const.h>
#include <function.h>
#include <langhooks.h>
#include <basic-block.h>
#include <tree-ssa-alias.h>
#include <internal-fn.h>
#include <gimple-expr.h>
#include <gimple.h>
#include <gimplify.h>
#include <gimple-iterator.h>
#include <gimple-walk.h>
#include <tree-pass.h>
#include <tree-cfg.h>
#include <tree-affine.h>
#include <tree-eh.h>
#include <tree-ssa-loop-ivopts.h>
#include <ssa.h>
#include <stmt.h>
#include <value-query.h>
#include <cfganal.h>
#include <context.h>
#include <memmodel.h>
#include <rtl.h>
#include <regs.h>
#include <function-abi.h>
#include <df.h>
#include <emit-rtl.h>
#include <diagnostic-core.h>
// clang-format on
