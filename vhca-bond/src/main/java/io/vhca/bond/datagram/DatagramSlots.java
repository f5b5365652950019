package io.vhca.bond.datagram;

import io.vhca.api.NativeMemory;
import io.vhca.api.QpCapabilities;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.bond.queue.SendSlots;
import io.vhca.bond.wire.DatagramSlotDescriptor;

/** The slots of a send queue for datagrams ({@link DatagramSlotDescriptor}): they know where each is to go. */
final class DatagramSlots extends SendSlots {
    DatagramSlots(final NativeBlock block, final QpCapabilities cap) {
        super(block, cap.maxSendWr(), cap.maxSendSge(), cap.maxInlineData());
    }

    /** What they take of a block. */
    static long bytes(final QpCapabilities cap) {
        return bytes(cap.maxSendWr(), cap.maxSendSge(), cap.maxInlineData());
    }

    /** Writes what the translation, and the completion, need of what the application posted. */
    void keep(final long to, final long wr, final int flags, final int opcode, final long handle) {
        keep(to, wr, flags, opcode);
        NativeMemory.putLong(to + DatagramSlotDescriptor.HANDLE_OFFSET, handle);
        NativeMemory.putInt(
                to + DatagramSlotDescriptor.QP_NUM_OFFSET,
                NativeMemory.getInt(wr + SendWrDescriptor.UD_REMOTE_QPN_OFFSET));
        NativeMemory.putInt(
                to + SendWrDescriptor.UD_REMOTE_QKEY_OFFSET,
                NativeMemory.getInt(wr + SendWrDescriptor.UD_REMOTE_QKEY_OFFSET));
    }

    /** Hardware completes it, asked for or not. */
    void signal(final long sequence) {
        final long flags = address(sequence) + SendWrDescriptor.SEND_FLAGS_OFFSET;
        NativeMemory.putInt(flags, NativeMemory.getInt(flags) | SendFlags.SIGNALED);
    }

    /** Of the vAH that a request names. */
    long handle(final long sequence) {
        return NativeMemory.getLong(address(sequence) + DatagramSlotDescriptor.HANDLE_OFFSET);
    }

    /** The vQPN that a request is for. */
    int qpNum(final long sequence) {
        return NativeMemory.getInt(address(sequence) + DatagramSlotDescriptor.QP_NUM_OFFSET);
    }
}
