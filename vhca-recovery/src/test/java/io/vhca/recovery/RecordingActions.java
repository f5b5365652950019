package io.vhca.recovery;

import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes down what it is asked; answers nothing by itself. */
final class RecordingActions implements RecoveryActions {
    private final List<String> asked = new ArrayList<>();
    private @Nullable BondError countsError;
    private @Nullable RecoveryRequest sent;

    /** What was asked, in order; the test clears it. */
    List<String> asked() {
        return asked;
    }

    /** The request of the last attempt. */
    @Nullable RecoveryRequest sent() {
        return sent;
    }

    /** The peer's counts fail the vQP from now on. */
    void refuseCounts(final BondError error) {
        countsError = error;
    }

    @Override
    public void closeGate() {
        asked.add("closeGate");
    }

    @Override
    public void fence() {
        asked.add("fence");
    }

    @Override
    public void drain() {
        asked.add("drain");
    }

    @Override
    public void finishDrain() {
        asked.add("finishDrain");
    }

    @Override
    public void connect(final PathId path, final RecoveryRequest request) {
        sent = request;
        asked.add("connect " + path + " " + request.type() + " " + request.epoch());
    }

    @Override
    public void abandonAttempt() {
        asked.add("abandonAttempt");
    }

    @Override
    public void answer(final long token, final RecoveryReply reply) {
        asked.add("answer " + token + " " + reply.epoch() + " " + reply.counts().received() + " "
                + reply.counts().ledger());
    }

    @Override
    public void reject(final long token, final RejectCode code, final int epoch) {
        asked.add("reject " + token + " " + code + " " + epoch);
    }

    @Override
    public @Nullable BondError applyPeerCounts(final ReceiverCounts counts) {
        asked.add("apply " + counts.received() + " " + counts.ledger());
        return countsError;
    }

    @Override
    public void replay() {
        asked.add("replay");
    }

    @Override
    public void openGate() {
        asked.add("openGate");
    }

    @Override
    public void fail(final BondError error) {
        asked.add("fail " + error);
    }

    @Override
    public void disconnected() {
        asked.add("disconnected");
    }
}
