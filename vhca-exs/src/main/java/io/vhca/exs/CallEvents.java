package io.vhca.exs;

import io.vhca.exs.engine.Call;
import io.vhca.exs.engine.CallSink;

/** Turns completed calls of a socket into events. The driver's lock. */
final class CallEvents implements CallSink {
    private final ExsSocket socket;

    CallEvents(final ExsSocket socket) {
        this.socket = socket;
    }

    @Override
    public void sent(final Call call) {
        post(EventKind.SEND, call);
    }

    @Override
    public void received(final Call call) {
        post(EventKind.RECV, call);
    }

    private void post(final EventKind kind, final Call call) {
        for (int i = 0; i < call.segments(); i++) {
            if (call.release(i) instanceof final ExsMemory memory) {
                memory.unuse();
            }
        }
        if (call.owner instanceof final ExsQueue queue) {
            queue.post(kind, socket, call);
        }
        call.owner = null;
        call.cookie = null;
    }
}
