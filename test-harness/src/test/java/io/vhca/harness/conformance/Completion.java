package io.vhca.harness.conformance;

import io.vhca.api.CompletionQueue;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A work completion, copied. */
record Completion(long wrId, WcStatus status, int opcode, int byteLen, int immData, int flags, int qpNum, int srcQp) {
    /** The next completion, or null when there is none now. */
    static @Nullable Completion poll(final CompletionQueue cq) {
        try (Arena arena = Arena.ofConfined()) {
            final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
            final int count = cq.poll(wc);
            if (count < 0) {
                throw new AssertionError("poll answered " + count);
            }
            return count == 0
                    ? null
                    : new Completion(
                            wc.wrId(),
                            wc.statusName(),
                            wc.opcode(),
                            wc.byteLen(),
                            wc.immData(),
                            wc.wcFlags(),
                            wc.qpNum(),
                            wc.srcQp());
        }
    }

    static Completion await(final CompletionQueue cq) {
        final long start = System.nanoTime();
        while (System.nanoTime() - start < Patience.NS) {
            final Completion completion = poll(cq);
            if (completion != null) {
                return completion;
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("no completion on " + cq + " in time");
    }

    static List<Completion> await(final CompletionQueue cq, final int count) {
        final List<Completion> completions = new ArrayList<>();
        while (completions.size() < count) {
            completions.add(await(cq));
        }
        return completions;
    }
}
