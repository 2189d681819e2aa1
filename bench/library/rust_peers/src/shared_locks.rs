// SPDX-License-Identifier: MIT
//! Locks that readers share: many threads that read, and sometimes write.

use crate::locks::{work_outside, Section};
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// And how many sections wrote.
pub struct SharedSection<Lock> {
    section: Section<Lock>,
    written: AtomicU64,
}

macro_rules! shared_lock_peer {
    ($lock:ty, $guard:ident => $write:expr, $read:expr, $new:ident, $delete:ident, $run:ident, $is_whole:ident) => {
        #[no_mangle]
        pub extern "C" fn $new() -> *mut SharedSection<$lock> {
            Box::into_raw(Box::new(SharedSection {
                section: Section::new(<$lock>::new(())),
                written: AtomicU64::new(0),
            }))
        }

        /// # Safety
        /// `section` comes from the `new` beside it and is used no more.
        #[no_mangle]
        pub unsafe extern "C" fn $delete(section: *mut SharedSection<$lock>) {
            drop(Box::from_raw(section));
        }

        /// Returns the number of sections this thread went through before `stop` was set.
        /// # Safety
        /// `section` comes from the `new` beside it; `stop` outlives the call.
        #[no_mangle]
        pub unsafe extern "C" fn $run(
            section: *const SharedSection<$lock>,
            stop: *const AtomicU32,
            seed: u64,
            writes: u32,
        ) -> u64 {
            let shared = &*section;
            let stop = &*stop;
            let mut state = seed;
            let mut done = 0;
            let mut wrote = 0;
            while stop.load(Ordering::Relaxed) == 0 {
                let $guard = &shared.section.lock;
                if (state >> 54) < u64::from(writes) {
                    let _held = $write;
                    for counter in &mut *shared.section.counters() {
                        *counter += 1;
                    }
                    wrote += 1;
                } else {
                    let _held = $read;
                    black_box((*shared.section.counters()).iter().sum::<u64>());
                }
                work_outside(&mut state);
                done += 1;
            }
            shared.written.fetch_add(wrote, Ordering::Relaxed);
            done
        }

        /// # Safety
        /// `section` comes from the `new` beside it, and nobody is at work.
        #[no_mangle]
        pub unsafe extern "C" fn $is_whole(section: *const SharedSection<$lock>) -> bool {
            let shared = &*section;
            let written = shared.written.load(Ordering::Relaxed);
            (*shared.section.counters()).iter().all(|one| *one == written)
        }
    };
}

shared_lock_peer!(
    parking_lot::RwLock<()>, lock => lock.write(), lock.read(),
    parking_lot_rwlock_new, parking_lot_rwlock_delete, parking_lot_rwlock_read_and_write,
    parking_lot_rwlock_is_whole
);
shared_lock_peer!(
    std::sync::RwLock<()>, lock => lock.write().unwrap(), lock.read().unwrap(),
    rust_std_rwlock_new, rust_std_rwlock_delete, rust_std_rwlock_read_and_write,
    rust_std_rwlock_is_whole
);
