package io.vhca.harness.sim.defect;

import java.util.function.Supplier;

/** The table of planted defects: a row each; what is broken is said by its class. */
public enum Mutation {
    /** Nothing is broken. */
    NONE(() -> new Defect() {}),
    REPLAY_ONE_TOO_LATE(ReplayOneTooLate::new),
    FENCE_SKIPPED(FenceSkipped::new),
    OWED_COMPLETION_DROPPED(OwedCompletionDropped::new),
    LEDGER_FORGOTTEN(LedgerForgotten::new),
    MARKS_LEFT_OUT(MarksLeftOut::new),
    WRITE_IN_DOUBT_REPLAYED(WriteInDoubtReplayed::new),
    CONFIRMATION_SKIPPED(ConfirmationSkipped::new),
    NATIVE_ATOMIC_REPLAYED(NativeAtomicReplayed::new),
    EMULATED_ATOMIC_FORGOTTEN(EmulatedAtomicForgotten::new),
    WAKE_UP_LOST(WakeUpLost::new),
    SHARED_RECEIVE_TWICE(SharedReceiveTwice::new),
    REGION_NOT_DEREGISTERED(RegionNotDeregistered::new),
    SQD_LETS_THROUGH(SqdLetsThrough::new),
    SQ_DRAINED_TOO_EARLY(SqDrainedTooEarly::new),
    DATAGRAM_COMPLETED_TWICE(DatagramCompletedTwice::new),
    DATAGRAM_SENT_TWICE(DatagramSentTwice::new),
    DATAGRAMS_NOT_MOVED(DatagramsNotMoved::new),
    DATAGRAM_HEADER_DENIED(DatagramHeaderDenied::new),
    SESSION_NOT_COMPARED(SessionNotCompared::new),
    LEFTOVER_DROPPED_UNJUDGED(LeftoverDroppedUnjudged::new),
    RESET_KEEPS_ATOMICS(ResetKeepsAtomics::new),
    RESET_KEEPS_SHARED_RECEIVES(ResetKeepsSharedReceives::new),
    RESET_KEEPS_LEDGER_WORD(ResetKeepsLedgerWord::new),
    RNR_RETRY_FORGOTTEN(RnrRetryForgotten::new),
    RECEIVES_POSTED_LATE(ReceivesPostedLate::new),
    DESTROYED_GOES_ON(DestroyedGoesOn::new);

    private final Supplier<Defect> plant;

    Mutation(final Supplier<Defect> plant) {
        this.plant = plant;
    }

    /** Breaks the bond of one host. */
    public Defect plant() {
        return plant.get();
    }
}
