// SPDX-License-Identifier: MIT
//! Single-producer, single-consumer rings of 64-bit numbers.

use std::hint::{black_box, spin_loop};

use ringbuf::traits::{Consumer as _, Producer as _, Split as _};
use ringbuf::{HeapCons, HeapProd, HeapRb};

/// The two ends of one ring; each is used by one thread at a time.
pub struct Ends<Producer, Consumer> {
    producer: Producer,
    consumer: Consumer,
}

macro_rules! ring_peer {
    ($ends:ty, $capacity:ident => $create:expr, $push:expr, $pop:expr,
     $new:ident, $delete:ident, $fill_and_drain:ident, $produce:ident, $consume:ident) => {
        #[no_mangle]
        pub extern "C" fn $new($capacity: usize) -> *mut $ends {
            let (producer, consumer) = $create;
            Box::into_raw(Box::new(Ends { producer, consumer }))
        }

        /// # Safety
        /// `ends` comes from the `new` beside it and is used no more.
        #[no_mangle]
        pub unsafe extern "C" fn $delete(ends: *mut $ends) {
            drop(Box::from_raw(ends));
        }

        /// One thread: `rounds` times pushes `items` and pops them again. Returns their sum.
        /// # Safety
        /// `ends` comes from the `new` beside it; nobody else uses it meanwhile.
        #[no_mangle]
        pub unsafe extern "C" fn $fill_and_drain(ends: *mut $ends, rounds: u64, items: u64) -> u64 {
            let producer = &mut *std::ptr::addr_of_mut!((*ends).producer);
            let consumer = &mut *std::ptr::addr_of_mut!((*ends).consumer);
            let mut sum = 0u64;
            for _ in 0..rounds {
                for item in 0..items {
                    while !$push(producer, item) {
                        spin_loop();
                    }
                }
                for _ in 0..items {
                    let item = loop {
                        if let Some(item) = $pop(consumer) {
                            break item;
                        }
                        spin_loop();
                    };
                    sum = sum.wrapping_add(black_box(item));
                }
            }
            sum
        }

        /// # Safety
        /// `ends` comes from the `new` beside it; this is its only producer.
        #[no_mangle]
        pub unsafe extern "C" fn $produce(ends: *mut $ends, items: u64) {
            let producer = &mut *std::ptr::addr_of_mut!((*ends).producer);
            for item in 0..items {
                while !$push(producer, item) {
                    spin_loop();
                }
            }
        }

        /// Returns the sum of what was popped.
        /// # Safety
        /// `ends` comes from the `new` beside it; this is its only consumer.
        #[no_mangle]
        pub unsafe extern "C" fn $consume(ends: *mut $ends, items: u64) -> u64 {
            let consumer = &mut *std::ptr::addr_of_mut!((*ends).consumer);
            let mut sum = 0u64;
            for _ in 0..items {
                let item = loop {
                    if let Some(item) = $pop(consumer) {
                        break item;
                    }
                    spin_loop();
                };
                sum = sum.wrapping_add(black_box(item));
            }
            sum
        }
    };
}

type Rtrb = Ends<rtrb::Producer<u64>, rtrb::Consumer<u64>>;
ring_peer!(
    Rtrb, capacity => rtrb::RingBuffer::<u64>::new(capacity),
    |producer: &mut rtrb::Producer<u64>, item| producer.push(item).is_ok(),
    |consumer: &mut rtrb::Consumer<u64>| consumer.pop().ok(),
    rtrb_new, rtrb_delete, rtrb_fill_and_drain, rtrb_produce, rtrb_consume
);

type Ringbuf = Ends<HeapProd<u64>, HeapCons<u64>>;
ring_peer!(
    Ringbuf, capacity => HeapRb::<u64>::new(capacity).split(),
    |producer: &mut HeapProd<u64>, item| producer.try_push(item).is_ok(),
    |consumer: &mut HeapCons<u64>| consumer.try_pop(),
    ringbuf_new, ringbuf_delete, ringbuf_fill_and_drain, ringbuf_produce, ringbuf_consume
);
