package io.vhca.ras.status;

import io.vhca.api.ProcessLife;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.ras.error.ErrorCode;
import io.vhca.recovery.RecoveryState;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A bond as its status file shows it.
 *
 * @param name        of the bond
 * @param pid         of the process that has it open, or had
 * @param processStart when that process began, {@link ProcessLife#start}; 0 where the release does not say
 * @param program     what that process runs: its main class, or its jar
 * @param startedMs   when it was opened, ms since 1970
 * @param publishedMs when this was written
 * @param mode        the option's text
 * @param primary     empty for none
 * @param reselect    {@code primary_reselect}
 * @param active      name of the active member, empty where the mode has none
 * @param miimonMs    option
 * @param updelayMs   option
 * @param downdelayMs option
 * @param minLinks    option
 * @param members     in the order of the configuration, then as they were added
 * @param queuePairs  by index
 * @param qpCount     how many there are
 * @param failovers   the last ones, oldest first
 * @param failoverCount how many there have been
 * @param counters    by name
 * @param faults      what the members' devices refused, dropped or failed at
 * @param errors      distinct ones, in the order of their first appearance
 * @param options     all that the bond runs with, each {@code key = value}
 */
public record BondStatus(
        String name,
        long pid,
        long processStart,
        String program,
        long startedMs,
        long publishedMs,
        String mode,
        String primary,
        String reselect,
        String active,
        long miimonMs,
        long updelayMs,
        long downdelayMs,
        long minLinks,
        List<MemberRow> members,
        List<QpRow> queuePairs,
        long qpCount,
        List<FailoverRow> failovers,
        long failoverCount,
        Map<String, Long> counters,
        List<FaultRow> faults,
        List<ErrorRow> errors,
        List<String> options) {

    /**
     * A member.
     *
     * @param leaving  it was removed, and goes when the last queue pair has left it; then it is drained as well
     * @param failures how often its link went down or its device died
     */
    public record MemberRow(
            String name,
            String address,
            boolean up,
            boolean drained,
            boolean leaving,
            boolean active,
            int queuePairs,
            long failures) {}

    /**
     * A vQP.
     *
     * @param type     RC or UD
     * @param state    null where this version does not know the code
     * @param recovery likewise, and for UD, which has none
     * @param member   name, empty for none
     * @param remote   address of the peer's member, empty for none
     */
    public record QpRow(
            int qpNum,
            QpType type,
            @Nullable QpState state,
            @Nullable RecoveryState recovery,
            int epoch,
            String member,
            String remote,
            long posted,
            long completed,
            long received) {}

    /**
     * A recovery that ended; see {@link io.vhca.bond.core.FailoverReport}.
     *
     * @param endedMs when it ended, in milliseconds since 1970; 0 where the release does not say
     */
    public record FailoverRow(
            int qpNum,
            int epoch,
            boolean initiator,
            String reason,
            String from,
            String to,
            long fenceNs,
            long connectNs,
            long replayNs,
            long negotiated,
            long replayed,
            String error,
            long endedMs) {}

    /** A counter of a member's device; see {@link io.vhca.api.DeviceCounter}. */
    public record FaultRow(String member, String name, long count, String meaning) {}

    /**
     * An error.
     *
     * @param text what was thrown, with its stack
     */
    public record ErrorRow(int count, long firstMs, long lastMs, String text) {
        /** Which error it is. */
        public ErrorCode code() {
            return ErrorCode.inText(text);
        }
    }

    public BondStatus {
        members = List.copyOf(members);
        queuePairs = List.copyOf(queuePairs);
        failovers = List.copyOf(failovers);
        faults = List.copyOf(faults);
        errors = List.copyOf(errors);
    }

    /** True while the process that wrote it lives, which no other one is that has its number now. */
    public boolean isAlive() {
        return ProcessLife.isAlive(pid, processStart);
    }
}
