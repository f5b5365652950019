package io.vhca.harness.sim.defect;

import io.vhca.api.Context;
import io.vhca.api.NativeMemory;
import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;

/** The first datagram over a new member is sent twice. */
final class DatagramSentTwice implements Defect {
    @Override
    public Context member(final Context device) {
        return new RepeatingMember(device).context();
    }

    private static final class RepeatingMember extends DatagramMember {
        RepeatingMember(final Context device) {
            super(device);
        }

        @Override
        void onPostAfterMove(final QueuePair qp, final long firstWr, final boolean isFirst) {
            if (isFirst) {
                postQuietly(qp, firstWr);
            }
        }

        /** Posts one request of a chain, without a completion. */
        private static void postQuietly(final QueuePair qp, final long wr) {
            final long next = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET);
            final int flags = NativeMemory.getInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET);
            NativeMemory.putLong(wr + SendWrDescriptor.NEXT_OFFSET, 0);
            NativeMemory.putInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET, flags & ~SendFlags.SIGNALED);
            qp.postSend(wr);
            NativeMemory.putLong(wr + SendWrDescriptor.NEXT_OFFSET, next);
            NativeMemory.putInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET, flags);
        }
    }
}
