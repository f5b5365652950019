package io.vhca.bond.memory;

import io.vhca.api.AddressHandle;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QueuePair;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;

/** What uses memory. In the order in which they must be closed. */
public enum MemoryKind {
    QUEUE_PAIR("qp", QueuePair.class),
    CM_ID("cm_id", CmId.class),
    SHARED_RECEIVE_QUEUE("srq", SharedReceiveQueue.class),
    ADDRESS_HANDLE("ah", AddressHandle.class),
    MEMORY_REGION("mr", MemoryRegion.class),
    PROTECTION_DOMAIN("pd", ProtectionDomain.class),
    COMPLETION_QUEUE("cq", CompletionQueue.class),
    COMPLETION_CHANNEL("comp_channel", CompletionChannel.class),
    EVENT_CHANNEL("cm_channel", CmEventChannel.class),
    /** Memory without an object of verbs: what the application asked for, what the bond works with. */
    BUFFER("buffer", Object.class);

    private final String text;
    private final Class<?> type;

    MemoryKind(final String text, final Class<?> type) {
        this.text = text;
        this.type = type;
    }

    /** The name as it is shown. */
    public String text() {
        return text;
    }

    /** Which of them an object is. */
    public static MemoryKind of(final Object object) {
        for (final MemoryKind kind : values()) {
            if (kind.type.isInstance(object)) {
                return kind;
            }
        }
        throw new AssertionError("every object is a buffer at least");
    }
}
