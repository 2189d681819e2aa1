// SPDX-License-Identifier: MIT
//! Schemes of reclamation: protected reads of a pointer and of the object it points to, and objects
//! that are replaced and retired. As ../../peers/reclamation.h says.

use std::hint::black_box;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What the pointer points to: a number, and as much again as the C peers need for their links.
struct Object {
    value: u64,
    _links: [u64; 2],
}

impl Object {
    fn new(value: u64) -> Self {
        Object {
            value,
            _links: [0; 2],
        }
    }
}

macro_rules! box_peer {
    ($box:ty => $create:expr, $destroy:expr, $reads_of:expr, $replaces_of:expr,
     $new:ident, $delete:ident, $reads:ident, $replaces:ident) => {
        #[no_mangle]
        pub extern "C" fn $new() -> *mut $box {
            Box::into_raw(Box::new($create))
        }

        /// # Safety
        /// `one` comes from the `new` beside it and is used no more.
        #[no_mangle]
        pub unsafe extern "C" fn $delete(one: *mut $box) {
            $destroy(*Box::from_raw(one));
        }

        /// # Safety
        /// `one` comes from the `new` beside it.
        #[no_mangle]
        pub unsafe extern "C" fn $reads(one: *const $box, reads: u64) {
            $reads_of(&*one, reads);
        }

        /// # Safety
        /// `one` comes from the `new` beside it.
        #[no_mangle]
        pub unsafe extern "C" fn $replaces(one: *const $box, objects: u64) {
            $replaces_of(&*one, objects);
        }
    };
}

#[repr(align(64))]
pub struct CrossbeamBox(crossbeam_epoch::Atomic<Object>);
box_peer!(
    CrossbeamBox => CrossbeamBox(crossbeam_epoch::Atomic::new(Object::new(0))),
    |one: CrossbeamBox| {
        drop(one.0.into_owned());
        // What is left goes as periods do, and those with the pins.
        for _ in 0..256 {
            crossbeam_epoch::pin().flush();
        }
    },
    |one: &CrossbeamBox, reads| {
        for _ in 0..reads {
            let guard = crossbeam_epoch::pin();
            let seen = one.0.load(Ordering::Acquire, &guard);
            black_box(seen.deref().value);
        }
    },
    |one: &CrossbeamBox, objects| {
        for n in 0..objects {
            let guard = crossbeam_epoch::pin();
            let fresh = crossbeam_epoch::Owned::new(Object::new(n));
            let old = one.0.swap(fresh, Ordering::AcqRel, &guard);
            guard.defer_destroy(old);
        }
    },
    crossbeam_epoch_new, crossbeam_epoch_delete, crossbeam_epoch_reads, crossbeam_epoch_replaces
);

#[repr(align(64))]
pub struct SeizeBox {
    shared: AtomicPtr<Object>,
    collector: seize::Collector,
}
box_peer!(
    SeizeBox => SeizeBox {
        shared: AtomicPtr::new(Box::into_raw(Box::new(Object::new(0)))),
        // As ours gathers.
        collector: seize::Collector::new().batch_size(1000),
    },
    |one: SeizeBox| drop(Box::from_raw(one.shared.load(Ordering::Relaxed))),
    |one: &SeizeBox, reads| {
        use seize::Guard;
        for _ in 0..reads {
            let guard = one.collector.enter();
            black_box((*guard.protect(&one.shared, Ordering::Acquire)).value);
        }
    },
    |one: &SeizeBox, objects| {
        for n in 0..objects {
            let fresh = Box::into_raw(Box::new(Object::new(n)));
            let old = one.shared.swap(fresh, Ordering::AcqRel);
            one.collector.retire(old, seize::reclaim::boxed);
        }
    },
    seize_new, seize_delete, seize_reads, seize_replaces
);

#[repr(align(64))]
pub struct HaphazardBox(haphazard::AtomicPtr<Object>);
box_peer!(
    HaphazardBox => HaphazardBox(haphazard::AtomicPtr::from(Box::new(Object::new(0)))),
    |one: HaphazardBox| {
        one.0.retire();
        haphazard::Domain::global().eager_reclaim();
    },
    |one: &HaphazardBox, reads| {
        let mut hazard = haphazard::HazardPointer::new();
        for _ in 0..reads {
            black_box(one.0.safe_load(&mut hazard).unwrap().value);
            hazard.reset_protection();
        }
    },
    |one: &HaphazardBox, objects| {
        for n in 0..objects {
            let old = one.0.swap(Box::new(Object::new(n))).unwrap();
            old.retire();
        }
    },
    haphazard_new, haphazard_delete, haphazard_reads, haphazard_replaces
);
