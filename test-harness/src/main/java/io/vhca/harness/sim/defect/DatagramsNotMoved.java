package io.vhca.harness.sim.defect;

import io.vhca.api.Context;
import io.vhca.api.NativeMemory;
import io.vhca.api.QueuePair;
import io.vhca.api.SendWrDescriptor;

/** Datagrams go out as if the member before were still there: they arrive nowhere. */
final class DatagramsNotMoved implements Defect {
    private static final int NOBODY = 0xff_fffe;

    @Override
    public Context member(final Context device) {
        return new UnmovedMember(device).context();
    }

    private static final class UnmovedMember extends DatagramMember {
        UnmovedMember(final Context device) {
            super(device);
        }

        @Override
        void onPostAfterMove(final QueuePair qp, final long firstWr, final boolean isFirst) {
            for (long wr = firstWr; wr != 0; wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET)) {
                NativeMemory.putInt(wr + SendWrDescriptor.UD_REMOTE_QPN_OFFSET, NOBODY);
            }
        }
    }
}
