package io.vhca.bond.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.WrOpcode;
import io.vhca.bond.wire.PhysicalWrId;
import org.jspecify.annotations.Nullable;

/**
 * Makes the slots of a virtual send queue ready for the connection in use: local and remote keys, {@code wr_id}, and
 * placeholders for what the peer has executed. Inside the queue's gate.
 */
final class SendTranslation {
    private final ConnectedQueueOwner owner;
    private final ConnectedSlots slots;
    private @Nullable RemoteKeys remoteKeys;
    private boolean isKeyMissing;
    /** Which, while one is missing. */
    private int missingKey;
    /** Requests before this one that the peer has executed are posted as placeholders. */
    private long placeholdersUpTo;

    SendTranslation(final ConnectedQueueOwner owner, final ConnectedSlots slots) {
        this.owner = owner;
        this.slots = slots;
    }

    /** Keys of the peer's member that the connection ends at; null while a request that names memory must wait. */
    void keys(final @Nullable RemoteKeys keys) {
        remoteKeys = keys;
    }

    void placeholdersUpTo(final long sequence) {
        placeholdersUpTo = sequence;
    }

    long placeholdersUpTo() {
        return placeholdersUpTo;
    }

    /** True while a key has been asked for and not answered. */
    boolean isKeyMissing() {
        return isKeyMissing;
    }

    /** What was asked for is answered, or will be asked for again. */
    void keyAnswered() {
        isKeyMissing = false;
    }

    /** Translates from one slot on; where it ended: at {@code end}, or before it as a remote key is not known. */
    long translate(
            final long from, final long end, final LocalKeys.Snapshot keys, final int member, final long prefix) {
        long sequence = from;
        while (sequence != end && translate(slots.address(sequence), sequence, keys, member)) {
            NativeMemory.putLong(
                    slots.address(sequence) + SendWrDescriptor.WR_ID_OFFSET, PhysicalWrId.of(prefix, sequence));
            sequence++;
        }
        return sequence;
    }

    /** Makes the slot ready for the member in use; false when its remote key must be asked for first. */
    private boolean translate(
            final long wr, final long sequence, final LocalKeys.Snapshot keys, final int member) {
        if (sequence < placeholdersUpTo && slots.opcode(sequence) != WrOpcode.RDMA_READ.code()) {
            slots.makePlaceholder(wr);
            return true;
        }
        slots.translateLocalKeys(wr, keys, member);
        final int opcode = NativeMemory.getInt(wr + SendWrDescriptor.OPCODE_OFFSET);
        if ((SendOpcodes.RDMA & 1 << opcode) != 0) {
            return translateRemoteKey(wr, wr + SendWrDescriptor.RDMA_RKEY_OFFSET);
        }
        return !SendOpcodes.isAtomic(opcode) || translateRemoteKey(wr, wr + SendWrDescriptor.ATOMIC_RKEY_OFFSET);
    }

    /** Translates the remote key that a slot keeps; false when it must be asked for first. */
    boolean translateRemoteKey(final long wr, final long to) {
        final int vrkey = slots.remoteKey(wr);
        final RemoteKeys table = remoteKeys;
        if (table == RemoteKeys.PLAIN) {
            NativeMemory.putInt(to, vrkey);
            return true;
        }
        final RemoteKeys.Entry entry = table == null ? null : table.find(vrkey);
        if (entry == null) {
            if (!isKeyMissing || missingKey != vrkey) {
                isKeyMissing = true;
                missingKey = vrkey;
                owner.onRemoteKeyMissing(vrkey);
            }
            return false;
        }
        NativeMemory.putInt(to, entry.rkey());
        return true;
    }
}
