package io.vhca.bond.queue;

import io.vhca.recovery.SendLog;

/** What a rewind is planned by: the cursors of a virtual send queue. Inside the queue's gate. */
final class SendQueueLog implements SendLog {
    private final VirtualSendQueue queue;
    private final SendSlots slots;

    SendQueueLog(final VirtualSendQueue queue) {
        this.queue = queue;
        slots = queue.slots();
    }

    @Override
    public long consumerSeq() {
        return queue.retired();
    }

    @Override
    public long hwCompletedSeq() {
        return queue.hwCompletedSeq();
    }

    @Override
    public long postedSeq() {
        return queue.everPosted();
    }

    @Override
    public long producerSeq() {
        return queue.producer();
    }

    @Override
    public long completedMessages() {
        final long consumer = queue.retired();
        if (consumer == queue.producer()) {
            return queue.messages();
        }
        final long through = slots.messagesThrough(consumer);
        return consumesReceive(consumer) ? through - 1 : through;
    }

    @Override
    public boolean consumesReceive(final long sequence) {
        return (SendOpcodes.MESSAGES & 1 << slots.opcode(sequence)) != 0;
    }

    @Override
    public long givenSeq() {
        return queue.posted();
    }

    @Override
    public boolean isMarked(final long sequence) {
        return slots.isMarked(sequence);
    }

    @Override
    public long committedUpTo() {
        return queue.committedUpTo();
    }

    @Override
    public long doubtfulUpTo() {
        return queue.doubtfulUpTo();
    }

    @Override
    public boolean needsResponse(final long sequence) {
        return (SendOpcodes.ANSWERED & 1 << slots.opcode(sequence)) != 0;
    }

    @Override
    public boolean trustsHardware() {
        return !queue.isConfirming();
    }

    @Override
    public boolean isAtomic(final long sequence) {
        return SendOpcodes.isAtomic(slots.opcode(sequence));
    }
}
