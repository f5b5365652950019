package io.vhca.exs.engine;

import org.jspecify.annotations.Nullable;

/**
 * The send work requests that were posted and have not completed, in order, and the message slots that they hold. What
 * is not signaled is over when a later one has completed.
 */
final class SentWork {
    static final byte MESSAGE = 0;
    static final byte READ = 1;
    static final byte WRITE = 2;
    static final byte PROBE = 3;

    private final byte[] kinds;
    private final @Nullable Call[] calls;
    private final int[] arrivals;
    private final int slots;
    private final int mostSilent;
    private long head;
    private long tail;
    private int slotsUsed;
    private int nextSlot;
    private int silent;
    private long afterSignaled; // behind the last one that completes in any case

    SentWork(final int workRequests, final int messageSlots) {
        kinds = new byte[workRequests];
        calls = new Call[workRequests];
        arrivals = new int[workRequests];
        slots = messageSlots;
        mostSilent = Math.min(workRequests, messageSlots) / 4;
    }

    /** Room that comes back for sure: messages that are not signaled may keep the rest until the next one is. */
    int mostRoom() {
        return kinds.length - (mostSilent - 1);
    }

    int room() {
        return (int) (kinds.length - (tail - head));
    }

    boolean hasSlot() {
        return slotsUsed < slots && tail - head < kinds.length;
    }

    boolean isEmpty() {
        return head == tail;
    }

    /** The number of the first work request that has not completed. */
    long head() {
        return head;
    }

    long tail() {
        return tail;
    }

    /** The slot that the next message is written to. */
    int slot() {
        assert hasSlot();
        return nextSlot;
    }

    /**
     * A message goes out.
     *
     * @param isLast somebody waits for it to arrive
     * @return true when it must be signaled, so that room comes back
     */
    boolean message(final boolean isLast) {
        push(MESSAGE, null, 0);
        slotsUsed++;
        nextSlot = nextSlot + 1 == slots ? 0 : nextSlot + 1;
        final boolean isSignaled = ++silent >= mostSilent || isLast;
        if (isSignaled) {
            signaled();
        }
        return isSignaled;
    }

    /** A READ or a WRITE goes out, signaled; or a WRITE that the next one speaks for, without a call. */
    void transfer(final byte kind, final @Nullable Call call, final int arrival) {
        push(kind, call, arrival);
        if (call != null) {
            signaled();
        }
    }

    /** A probe goes out, signaled. */
    void probe() {
        push(PROBE, null, 0);
        signaled();
    }

    private void signaled() {
        silent = 0;
        afterSignaled = tail;
    }

    /** True when something completes as soon as the peer's device answered, or did not. */
    boolean isAwaited() {
        return afterSignaled - head > 0;
    }

    private void push(final byte kind, final @Nullable Call call, final int arrival) {
        assert room() > 0;
        final int index = (int) (tail % kinds.length);
        kinds[index] = kind;
        calls[index] = call;
        arrivals[index] = arrival;
        tail++;
    }

    byte kind() {
        return kinds[(int) (head % kinds.length)];
    }

    /** True of a READ or WRITE of a call. */
    boolean isTransfer() {
        return kind() == READ || kind() == WRITE;
    }

    @Nullable Call call() {
        return calls[(int) (head % kinds.length)];
    }

    int arrival() {
        return arrivals[(int) (head % kinds.length)];
    }

    /** The first one is over. */
    void pop() {
        assert head != tail;
        if (kind() == MESSAGE) {
            slotsUsed--;
        }
        calls[(int) (head % kinds.length)] = null;
        head++;
    }
}
