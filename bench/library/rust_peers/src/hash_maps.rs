// SPDX-License-Identifier: MIT
//! Maps from numbers of 64 bits to such numbers, and the loop of lookups and changes. As
//! ../../peers/hash_map.h says.

use std::hash::{BuildHasherDefault, Hasher};
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

/// Of one number: the finaliser of MurmurHash3.
#[derive(Default, Clone)]
pub struct OfNumber(u64);

impl Hasher for OfNumber {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are numbers");
    }
    fn write_u64(&mut self, number: u64) {
        let mut key = number;
        key ^= key >> 33;
        key = key.wrapping_mul(0xff51afd7ed558ccd);
        key ^= key >> 33;
        key = key.wrapping_mul(0xc4ceb9fe1a85ec53);
        key ^= key >> 33;
        self.0 = key;
    }
}

type ByNumber = BuildHasherDefault<OfNumber>;

macro_rules! map_peer {
    ($map:ty, $room:ident => $create:expr, $pin:expr, $lookup:expr, $insert:expr, $erase:expr,
     $new:ident, $delete:ident, $work:ident) => {
        #[no_mangle]
        pub extern "C" fn $new(keys: u64) -> *mut $map {
            let $room = keys as usize / 2;
            let map = $create;
            {
                let pinned = $pin(&map);
                for key in (0..keys).step_by(2) {
                    $insert(&pinned, key);
                }
            }
            Box::into_raw(Box::new(map))
        }

        /// # Safety
        /// `map` comes from the `new` beside it and is used no more.
        #[no_mangle]
        pub unsafe extern "C" fn $delete(map: *mut $map) {
            drop(Box::from_raw(map));
        }

        /// # Safety
        /// `map` comes from the `new` beside it; `stop` outlives the call.
        #[no_mangle]
        pub unsafe extern "C" fn $work(
            map: *const $map,
            stop: *const AtomicU32,
            mut seed: u64,
            keys: u64,
            lookups: u64,
        ) -> u64 {
            let map = &*map;
            let stop = &*stop;
            let mut done = 0;
            while stop.load(Ordering::Relaxed) == 0 {
                let pinned = $pin(map);
                for _ in 0..64 {
                    seed ^= seed >> 12;
                    seed ^= seed << 25;
                    seed ^= seed >> 27;
                    let drawn = seed.wrapping_mul(0x2545F4914F6CDD1D);
                    let key = ((drawn >> 32) * keys) >> 32;
                    if drawn & 1023 < lookups {
                        if let Some(value) = $lookup(&pinned, key) {
                            black_box(value);
                        }
                    } else if drawn & 1024 != 0 {
                        $insert(&pinned, key);
                    } else {
                        $erase(&pinned, key);
                    }
                }
                done += 64;
            }
            done
        }
    };
}

type Dash = dashmap::DashMap<u64, u64, ByNumber>;
map_peer!(
    Dash, room => Dash::with_capacity_and_hasher(room, ByNumber::default()),
    |map| -> &Dash { map },
    |map: &&Dash, key: u64| map.get(&key).map(|value| *value),
    |map: &&Dash, key: u64| {
        map.entry(key).or_insert(key);
    },
    |map: &&Dash, key: u64| {
        map.remove(&key);
    },
    dashmap_new, dashmap_delete, dashmap_work
);

type Papaya = papaya::HashMap<u64, u64, ByNumber>;
map_peer!(
    Papaya, room => Papaya::with_capacity_and_hasher(room, ByNumber::default()),
    |map| -> &Papaya { map },
    |map: &&Papaya, key: u64| map.pin().get(&key).copied(),
    |map: &&Papaya, key: u64| {
        let _ = map.pin().try_insert(key, key);
    },
    |map: &&Papaya, key: u64| {
        map.pin().remove(&key);
    },
    papaya_new, papaya_delete, papaya_work
);

type PapayaRef<'a> = papaya::HashMapRef<'a, u64, u64, ByNumber, papaya::LocalGuard<'a>>;
/// With one guard for 64 operations.
#[repr(transparent)]
pub struct PapayaPinned(Papaya);
map_peer!(
    PapayaPinned,
    room => PapayaPinned(Papaya::with_capacity_and_hasher(room, ByNumber::default())),
    pinned_once,
    |map: &PapayaRef, key: u64| map.get(&key).copied(),
    |map: &PapayaRef, key: u64| {
        let _ = map.try_insert(key, key);
    },
    |map: &PapayaRef, key: u64| {
        map.remove(&key);
    },
    papaya_pinned_new, papaya_pinned_delete, papaya_pinned_work
);

fn pinned_once(map: &PapayaPinned) -> PapayaRef<'_> {
    map.0.pin()
}

type Scc = scc::HashIndex<u64, u64, ByNumber>;
map_peer!(
    Scc, room => Scc::with_capacity_and_hasher(room, ByNumber::default()),
    |map| -> &Scc { map },
    |map: &&Scc, key: u64| map.peek_with(&key, |_, value| *value),
    |map: &&Scc, key: u64| {
        let _ = map.insert_sync(key, key);
    },
    |map: &&Scc, key: u64| {
        map.remove_sync(&key);
    },
    scc_hash_index_new, scc_hash_index_delete, scc_hash_index_work
);
