// SPDX-License-Identifier: MIT
// What programs tell a race detector of themselves: that something is ordered, or is to be ignored.
// The program is judged without it. gcc does not even compile it (compile_source.py).
#define FENCEPOST_ANNOTATION(name) void name() __attribute__((alias("fencepost_annotation")))

extern "C" {

void fencepost_annotation() {}

FENCEPOST_ANNOTATION(AnnotateHappensBefore);
FENCEPOST_ANNOTATION(AnnotateHappensAfter);
FENCEPOST_ANNOTATION(AnnotateCondVarSignal);
FENCEPOST_ANNOTATION(AnnotateCondVarSignalAll);
FENCEPOST_ANNOTATION(AnnotateCondVarWait);
FENCEPOST_ANNOTATION(AnnotateMutexIsNotPHB);
FENCEPOST_ANNOTATION(AnnotateMutexIsUsedAsCondVar);
FENCEPOST_ANNOTATION(AnnotateRWLockCreate);
FENCEPOST_ANNOTATION(AnnotateRWLockCreateStatic);
FENCEPOST_ANNOTATION(AnnotateRWLockDestroy);
FENCEPOST_ANNOTATION(AnnotateRWLockAcquired);
FENCEPOST_ANNOTATION(AnnotateRWLockReleased);
FENCEPOST_ANNOTATION(AnnotateTraceMemory);
FENCEPOST_ANNOTATION(AnnotateFlushState);
FENCEPOST_ANNOTATION(AnnotateFlushExpectedRaces);
FENCEPOST_ANNOTATION(AnnotateNewMemory);
FENCEPOST_ANNOTATION(AnnotateNoOp);
FENCEPOST_ANNOTATION(AnnotateEnableRaceDetection);
FENCEPOST_ANNOTATION(AnnotatePCQCreate);
FENCEPOST_ANNOTATION(AnnotatePCQDestroy);
FENCEPOST_ANNOTATION(AnnotatePCQPut);
FENCEPOST_ANNOTATION(AnnotatePCQGet);
FENCEPOST_ANNOTATION(AnnotateExpectRace);
FENCEPOST_ANNOTATION(AnnotateBenignRace);
FENCEPOST_ANNOTATION(AnnotateBenignRaceSized);
FENCEPOST_ANNOTATION(AnnotateIgnoreReadsBegin);
FENCEPOST_ANNOTATION(AnnotateIgnoreReadsEnd);
FENCEPOST_ANNOTATION(AnnotateIgnoreWritesBegin);
FENCEPOST_ANNOTATION(AnnotateIgnoreWritesEnd);
FENCEPOST_ANNOTATION(AnnotateIgnoreSyncBegin);
FENCEPOST_ANNOTATION(AnnotateIgnoreSyncEnd);
FENCEPOST_ANNOTATION(AnnotatePublishMemoryRange);
FENCEPOST_ANNOTATION(AnnotateUnpublishMemoryRange);
FENCEPOST_ANNOTATION(AnnotateThreadName);
FENCEPOST_ANNOTATION(WTFAnnotateHappensBefore);
FENCEPOST_ANNOTATION(WTFAnnotateHappensAfter);
FENCEPOST_ANNOTATION(WTFAnnotateBenignRaceSized);
FENCEPOST_ANNOTATION(__tsan_acquire);
FENCEPOST_ANNOTATION(__tsan_release);
FENCEPOST_ANNOTATION(__tsan_mutex_create);
FENCEPOST_ANNOTATION(__tsan_mutex_destroy);
FENCEPOST_ANNOTATION(__tsan_mutex_pre_lock);
FENCEPOST_ANNOTATION(__tsan_mutex_post_lock);
FENCEPOST_ANNOTATION(__tsan_mutex_pre_unlock);
FENCEPOST_ANNOTATION(__tsan_mutex_post_unlock);
FENCEPOST_ANNOTATION(__tsan_mutex_pre_signal);
FENCEPOST_ANNOTATION(__tsan_mutex_post_signal);
FENCEPOST_ANNOTATION(__tsan_mutex_pre_divert);
FENCEPOST_ANNOTATION(__tsan_mutex_post_divert);

}  // extern "C"
