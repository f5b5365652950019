package io.vhca.bond.queue;

import io.vhca.recovery.SendLog;

/**
 * What a rewind of a send queue is planned by: the queue as it was when this was made. Inside the queue's gate, which
 * holds posts back and not completions.
 */
final class RewindLog implements SendLog {
    private final VirtualSendQueue queue;
    private final SendTranslation translation;
    private final long retired;
    private final long hwCompleted;

    RewindLog(final VirtualSendQueue queue, final SendTranslation translation) {
        this.queue = queue;
        this.translation = translation;
        retired = queue.retired(); // in that order: both only grow
        hwCompleted = Math.max(retired, queue.hwCompletedSeq());
    }

    @Override
    public long consumerSeq() {
        return retired;
    }

    @Override
    public long hwCompletedSeq() {
        return hwCompleted;
    }

    @Override
    public long postedSeq() {
        return queue.everPosted();
    }

    @Override
    public long producerSeq() {
        assert queue.isEntered() : "a post may be half done";
        return queue.producer;
    }

    @Override
    public long completedMessages() {
        long unfinished = 0;
        for (long sequence = retired; sequence < queue.producer; sequence++) {
            unfinished += consumesReceive(sequence) ? 1 : 0;
        }
        return queue.messages() - unfinished;
    }

    @Override
    public boolean consumesReceive(final long sequence) {
        return (SendOpcodes.MESSAGES & 1 << queue.slots().opcode(sequence)) != 0;
    }

    @Override
    public long givenSeq() {
        return queue.posted;
    }

    @Override
    public boolean isMarked(final long sequence) {
        return queue.slots().isMarked(sequence);
    }

    @Override
    public long committedUpTo() {
        return translation.placeholdersUpTo();
    }

    @Override
    public long doubtfulUpTo() {
        return queue.doubtfulUpTo();
    }

    @Override
    public boolean needsResponse(final long sequence) {
        return (SendOpcodes.ANSWERED & 1 << queue.slots().opcode(sequence)) != 0;
    }

    @Override
    public boolean trustsHardware() {
        return !queue.isConfirming();
    }

    @Override
    public boolean isAtomic(final long sequence) {
        return SendOpcodes.isAtomic(queue.slots().opcode(sequence));
    }
}
