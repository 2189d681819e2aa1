// SPDX-License-Identifier: MIT
//! Peers from Rust's registry, behind C functions that each run one whole timing loop: the
//! declarations are in ../../peers/rust.h. The loops do the same as their C++ counterparts in
//! ../../locks.hpp and ../../rings.cpp, word for word where the languages allow.

mod locks;
mod rings;
