package io.vhca.harness.sim.app;

import io.vhca.api.RecvWorkRequest;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WorkCompletion;
import java.lang.foreign.Arena;

/** Native work requests and completions of one application, reused for every call. */
public final class WrBlock {
    static final int MAX_CHAIN = 8;
    static final int MAX_SGE = 4;
    static final int MAX_POLL = 16;

    private static final int SEND_STRIDE = SendWrDescriptor.SIZE + MAX_SGE * SgeDescriptor.SIZE;

    private final SendWorkRequest[] sends = new SendWorkRequest[MAX_CHAIN];
    private final RecvWorkRequest recv;
    private final WorkCompletion completions;

    public WrBlock(final Arena arena) {
        final long sendAddress = arena.allocate((long) SEND_STRIDE * MAX_CHAIN, 64).address();
        for (int i = 0; i < MAX_CHAIN; i++) {
            final long address = sendAddress + (long) i * SEND_STRIDE;
            sends[i] = new SendWorkRequest().wrap(address).sgList(address + SendWrDescriptor.SIZE);
        }
        final long recvAddress =
                arena.allocate(RecvWrDescriptor.SIZE + MAX_SGE * SgeDescriptor.SIZE, 64).address();
        recv = new RecvWorkRequest().wrap(recvAddress).sgList(recvAddress + RecvWrDescriptor.SIZE);
        completions = new WorkCompletion()
                .wrap(arena.allocate((long) WcDescriptor.SIZE * MAX_POLL, 64).address(), MAX_POLL);
    }

    SendWorkRequest send(final int index) {
        return sends[index];
    }

    RecvWorkRequest recv() {
        return recv;
    }

    WorkCompletion completions() {
        return completions;
    }
}
