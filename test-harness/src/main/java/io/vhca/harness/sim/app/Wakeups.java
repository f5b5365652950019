package io.vhca.harness.sim.app;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The completion queues that an application polls only when its completion channel says so. It arms a queue, polls it
 * until nothing is left, and waits. Where a wake-up is lost it waits for ever, and the run is reported as late.
 */
final class Wakeups {
    private final CompletionChannel channel;
    private final Map<CompletionQueue, State> states = new IdentityHashMap<>();

    /** One CQ. */
    private static final class State {
        private final boolean isSolicitedOnly;
        private boolean isAwake = true;

        State(final boolean isSolicitedOnly) {
            this.isSolicitedOnly = isSolicitedOnly;
        }
    }

    Wakeups(final CompletionChannel channel) {
        this.channel = channel;
    }

    CompletionChannel channel() {
        return channel;
    }

    /**
     * Arms a CQ of the channel for the first time.
     *
     * @param isSolicitedOnly only messages that ask for it, and errors, wake up
     */
    void add(final CompletionQueue cq, final boolean isSolicitedOnly) {
        if (states.putIfAbsent(cq, new State(isSolicitedOnly)) == null) {
            cq.reqNotify(isSolicitedOnly);
        }
    }

    /** Takes what the channel says. Returns how many wake-ups there were. */
    int take() {
        final List<CompletionQueue> fired = new ArrayList<>(0);
        for (CompletionQueue cq = channel.getCqEvent(0); cq != null; cq = channel.getCqEvent(0)) {
            fired.add(cq);
        }
        for (final CompletionQueue cq : fired) {
            final State state = states.get(cq);
            if (state != null) {
                // What is there already may wake up at once: that is for the next time.
                cq.reqNotify(state.isSolicitedOnly);
                state.isAwake = true;
            }
        }
        return fired.size();
    }

    /** Whether the CQ is to be polled. */
    boolean isAwake(final CompletionQueue cq) {
        final State state = states.get(cq);
        return state == null || state.isAwake;
    }

    /** The CQ was polled and had nothing. */
    void onEmpty(final CompletionQueue cq) {
        final State state = states.get(cq);
        if (state != null) {
            state.isAwake = false;
        }
    }
}
