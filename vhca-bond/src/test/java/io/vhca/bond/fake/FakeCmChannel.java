package io.vhca.bond.fake;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A CM event channel of a fake device. */
public final class FakeCmChannel implements CmEventChannel {
    private final FakeContext context;
    private final Deque<CmEvent> events = new ArrayDeque<>();
    private final Set<FakeCmId> ids = new LinkedHashSet<>();

    FakeCmChannel(final FakeContext context) {
        this.context = context;
        context.children().add(this);
    }

    FakeContext fake() {
        return context;
    }

    /** An event arrives, as from the network or as a test makes it up. */
    public void push(final CmEvent event) {
        events.add(event);
    }

    /** The id that was made last. */
    public FakeCmId newest() {
        return List.copyOf(ids).getLast();
    }

    void add(final FakeCmId id) {
        ids.add(id);
    }

    void remove(final FakeCmId id) {
        ids.remove(id);
        events.removeIf(event -> event.id() == id);
    }

    void sayToAll(final CmEventType type) {
        List.copyOf(ids).forEach(id -> id.say(type, 0, new byte[0]));
    }

    /** Closes every id, those of requests that nobody took too. */
    void closeIds() {
        List.copyOf(ids).forEach(FakeCmId::close);
    }

    @Override
    public CmId createId(final CmPortSpace portSpace, final @Nullable Object idContext) {
        context.check("createId");
        return new FakeCmId(this, portSpace, idContext);
    }

    @Override
    public @Nullable CmEvent getEvent(final long timeoutNs) {
        return events.poll();
    }

    @Override
    public void close() {
        if (!ids.isEmpty()) {
            throw new VerbsException("destroyEventChannel", Errno.EBUSY, context.device().name(), ids + " are open");
        }
        context.children().remove(this);
    }
}
