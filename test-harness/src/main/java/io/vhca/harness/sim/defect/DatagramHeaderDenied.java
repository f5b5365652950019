package io.vhca.harness.sim.defect;

import io.vhca.api.Context;
import io.vhca.api.NativeMemory;
import io.vhca.api.WcDescriptor;

/** The header in front of a datagram is forgotten: the completion says that there is none. */
final class DatagramHeaderDenied implements Defect {
    @Override
    public Context member(final Context device) {
        return new HeaderlessMember(device).context();
    }

    private static final class HeaderlessMember extends DatagramMember {
        HeaderlessMember(final Context device) {
            super(device);
        }

        @Override
        int onLastCompletion(final long wc, final boolean isSend, final boolean hasRoom) {
            if (!isSend) {
                NativeMemory.putInt(wc + WcDescriptor.WC_FLAGS_OFFSET, 0);
            }
            return 0;
        }
    }
}
