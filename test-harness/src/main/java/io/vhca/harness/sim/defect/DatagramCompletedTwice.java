package io.vhca.harness.sim.defect;

import io.vhca.api.Context;
import io.vhca.api.NativeMemory;
import io.vhca.api.WcDescriptor;

/** One completion of a datagram in eight comes twice. */
final class DatagramCompletedTwice implements Defect {
    private static final int DOUBLED_ONE_IN = 8;

    @Override
    public Context member(final Context device) {
        return new StutteringMember(device).context();
    }

    private static final class StutteringMember extends DatagramMember {
        private int sends;

        StutteringMember(final Context device) {
            super(device);
        }

        @Override
        int onLastCompletion(final long wc, final boolean isSend, final boolean hasRoom) {
            if (!isSend || !hasRoom || ++sends % DOUBLED_ONE_IN != 0) {
                return 0;
            }
            NativeMemory.copy(wc, wc + WcDescriptor.SIZE, WcDescriptor.SIZE);
            return 1;
        }
    }
}
