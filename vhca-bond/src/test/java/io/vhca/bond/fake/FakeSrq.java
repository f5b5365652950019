package io.vhca.bond.fake;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A shared receive queue of a fake device. */
final class FakeSrq implements SharedReceiveQueue {
    private final FakePd pd;
    private final SrqAttributes attributes;
    private final Deque<Posted> receives = new ArrayDeque<>();

    FakeSrq(final FakePd pd, final SrqAttributes attributes) {
        this.pd = pd;
        this.attributes = attributes;
        pd.fake().children().add(this);
    }

    @Nullable Posted take() {
        return receives.poll();
    }

    boolean isEmpty() {
        return receives.isEmpty();
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public void armLimit(final int limit) {
        // The bond counts by itself.
    }

    @Override
    public SrqAttributes query() {
        return attributes;
    }

    @Override
    public int postRecv(final long wrAddress) {
        if (pd.fake().isDead()) {
            return -Errno.EIO;
        }
        int count = 0;
        for (long wr = wrAddress; wr != 0; wr = NativeMemory.getLong(wr + RecvWrDescriptor.NEXT_OFFSET)) {
            if (receives.size() == attributes.maxWr()) {
                return count == 0 ? -Errno.ENOMEM : count;
            }
            receives.add(Posted.receive(wr));
            pd.fake().fake().onSharedReceive();
            count++;
        }
        return count;
    }

    @Override
    public void close() {
        pd.fake().children().remove(this);
    }
}
