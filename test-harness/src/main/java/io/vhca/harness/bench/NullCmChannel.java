package io.vhca.harness.bench;

import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An event channel of a null device. Any thread. */
final class NullCmChannel implements CmEventChannel {
    private static final long SLICE_NS = 20_000_000;

    private final NullContext context;
    private final LinkedBlockingQueue<CmEvent> events = new LinkedBlockingQueue<>();
    private volatile boolean closed;

    NullCmChannel(final NullContext context) {
        this.context = context;
    }

    @Override
    public CmId createId(final CmPortSpace portSpace, final @Nullable Object idContext) {
        return new NullCmId(this, context, portSpace, idContext);
    }

    void raise(
            final CmEventType type,
            final CmId id,
            final @Nullable CmId listenId,
            final int status,
            final ConnectParameters parameters) {
        events.add(new Event(type, id, listenId, status, parameters.privateData(), parameters));
    }

    @Override
    public @Nullable CmEvent getEvent(final long timeoutNs) {
        long leftNs = timeoutNs;
        try {
            CmEvent event = events.poll();
            while (event == null && leftNs > 0 && !closed) {
                final long sliceNs = Math.min(leftNs, SLICE_NS);
                event = events.poll(sliceNs, TimeUnit.NANOSECONDS);
                leftNs -= sliceNs;
            }
            return event;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    @Override
    public void close() {
        closed = true;
    }

    @SuppressWarnings("ArrayRecordComponent") // private data is bytes in the interface
    private record Event(
            CmEventType type,
            CmId id,
            @Nullable CmId listenId,
            int status,
            byte[] privateData,
            ConnectParameters parameters)
            implements CmEvent {
        @Override
        public void ack() {
            // Nothing waits for it.
        }
    }
}
