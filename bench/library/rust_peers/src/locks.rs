// SPDX-License-Identifier: MIT
//! Mutexes: lock and unlock alone, and the short section that many threads fight for.

use std::cell::UnsafeCell;
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

/// What a lock protects: four counters in a cache line of their own.
#[repr(C, align(64))]
pub struct Counters(UnsafeCell<[u64; 4]>);

/// The lock in one cache line, what it protects in the next.
#[repr(C, align(64))]
pub struct Section<Lock> {
    pub lock: Lock,
    counters: Counters,
}

impl<Lock> Section<Lock> {
    pub fn new(lock: Lock) -> Self {
        Section {
            lock,
            counters: Counters(UnsafeCell::new([0; 4])),
        }
    }

    pub fn counters(&self) -> *mut [u64; 4] {
        self.counters.0.get()
    }
}

/// What stands between two sections: ten steps of a linear congruential generator.
#[inline(always)]
pub fn work_outside(state: &mut u64) {
    for _ in 0..10 {
        *state = black_box(
            state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407),
        );
    }
}

macro_rules! lock_peer {
    ($lock:ty, $guard:ident => $acquire:expr, $new:ident, $delete:ident, $pairs:ident, $fight:ident) => {
        #[no_mangle]
        pub extern "C" fn $new() -> *mut Section<$lock> {
            Box::into_raw(Box::new(Section::new(<$lock>::new(()))))
        }

        /// # Safety
        /// `section` comes from the `new` beside it and is used no more.
        #[no_mangle]
        pub unsafe extern "C" fn $delete(section: *mut Section<$lock>) {
            drop(Box::from_raw(section));
        }

        /// # Safety
        /// `section` comes from the `new` beside it.
        #[no_mangle]
        pub unsafe extern "C" fn $pairs(section: *const Section<$lock>, pairs: u64) {
            let section = &*section;
            for _ in 0..pairs {
                let $guard = &section.lock;
                drop($acquire);
            }
        }

        /// Returns the number of sections this thread went through before `stop` was set.
        /// # Safety
        /// `section` comes from the `new` beside it; `stop` outlives the call.
        #[no_mangle]
        pub unsafe extern "C" fn $fight(
            section: *const Section<$lock>,
            stop: *const AtomicU32,
            seed: u64,
        ) -> u64 {
            let section = &*section;
            let stop = &*stop;
            let mut state = seed;
            let mut done = 0;
            while stop.load(Ordering::Relaxed) == 0 {
                {
                    let $guard = &section.lock;
                    let _held = $acquire;
                    for counter in &mut *section.counters() {
                        *counter += 1;
                    }
                }
                work_outside(&mut state);
                done += 1;
            }
            done
        }
    };
}

lock_peer!(
    parking_lot::Mutex<()>, mutex => mutex.lock(),
    parking_lot_new, parking_lot_delete, parking_lot_pairs, parking_lot_fight
);
lock_peer!(
    parking_lot_0_12::Mutex<()>, mutex => mutex.lock(),
    parking_lot_0_12_new, parking_lot_0_12_delete, parking_lot_0_12_pairs, parking_lot_0_12_fight
);
lock_peer!(
    std::sync::Mutex<()>, mutex => mutex.lock().unwrap(),
    rust_std_new, rust_std_delete, rust_std_pairs, rust_std_fight
);
