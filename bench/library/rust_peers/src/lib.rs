// SPDX-License-Identifier: MIT
//! Peers from Rust's registry, behind C functions that each run one whole timing loop: the
//! declarations are in ../../peers. The loops do the same as their C++ counterparts in
//! ../../locks.hpp, ../../rings.cpp, ../../reclamation.hpp and ../../hash_maps.cpp, word for word
//! where the languages allow.

mod hash_maps;
mod locks;
mod shared_locks;
mod reclamation;
mod rings;
