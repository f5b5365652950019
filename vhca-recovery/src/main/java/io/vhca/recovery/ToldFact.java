package io.vhca.recovery;

import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectRecord;
import org.jspecify.annotations.Nullable;

/** A fact that a {@link RecoveryMachine} was told, with when and with what came along; one record a fact. */
sealed interface ToldFact {
    /** When it was told. */
    long nowNs();

    /** See {@link RecoveryMachine#start}. */
    record Start(long nowNs) implements ToldFact {}

    /** See {@link RecoveryMachine#onPathFailure}. */
    record PathFailure(FailureReason why, long nowNs) implements ToldFact {}

    /** See {@link RecoveryMachine#onFenced}. */
    record Fenced(long nowNs) implements ToldFact {}

    /** See {@link RecoveryMachine#onDrained}. */
    record Drained(ReceiverCounts counts, long nowNs) implements ToldFact {}

    /** See {@link RecoveryMachine#onRequest}. */
    record Request(RecoveryRequest said, long token, PathId arrivedOn, long nowNs) implements ToldFact {}

    /** See {@link RecoveryMachine#onReply}. */
    record Reply(RecoveryReply said, long nowNs) implements ToldFact {}

    /** See {@link RecoveryMachine#onReject}. */
    record Rejected(@Nullable RejectRecord record, long nowNs) implements ToldFact {}

    /** See {@link RecoveryMachine#onConnectFailed}. */
    record ConnectFailed(long nowNs) implements ToldFact {}

    /** See {@link RecoveryMachine#onEstablished}. */
    record Established(long nowNs) implements ToldFact {}

    /** See {@link RecoveryMachine#onReplayed}. */
    record Replayed(long nowNs) implements ToldFact {}

    /** See {@link RecoveryMachine#onPathUp}. */
    record PathUp(int localMember, long nowNs) implements ToldFact {}

    /** See {@link RecoveryMachine#onApplicationClose}. */
    record ApplicationClose(long nowNs) implements ToldFact {}

    /** See {@link RecoveryMachine#doWork}. */
    record Timer(long nowNs) implements ToldFact {}

    /** See {@link RecoveryMachine#onVqpError}. */
    record VqpError(long nowNs) implements ToldFact {}

    /** Whether the machine acts on it in that state. */
    default boolean isHandledIn(final RecoveryState state) {
        return RecoveryTransitions.reaction(state, kind()) == RecoveryTransitions.Reaction.HANDLE;
    }

    /** Whether it cannot arrive in that state: the caller has a defect. */
    default boolean isDefectIn(final RecoveryState state) {
        return RecoveryTransitions.reaction(state, kind()) == RecoveryTransitions.Reaction.DEFECT;
    }

    /** The column of {@link RecoveryTransitions} that judges the fact. */
    default RecoveryFact kind() {
        return switch (this) {
            case Start _ -> RecoveryFact.START;
            case PathFailure _ -> RecoveryFact.PATH_FAILURE;
            case Fenced _ -> RecoveryFact.FENCED;
            case Drained _ -> RecoveryFact.DRAINED;
            case Request _ -> RecoveryFact.REQUEST;
            case Reply _ -> RecoveryFact.REPLY;
            case Rejected _ -> RecoveryFact.REJECTED;
            case ConnectFailed _ -> RecoveryFact.CONNECT_FAILED;
            case Established _ -> RecoveryFact.ESTABLISHED;
            case Replayed _ -> RecoveryFact.REPLAYED;
            case PathUp _ -> RecoveryFact.PATH_UP;
            case ApplicationClose _ -> RecoveryFact.APPLICATION_CLOSE;
            case Timer _ -> RecoveryFact.TIMER;
            case VqpError _ -> RecoveryFact.VQP_ERROR;
        };
    }
}
