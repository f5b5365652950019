package io.vhca.rdp.engine;

import java.util.ArrayList;
import java.util.List;

/** A port of another node that sockets here send to: whether it is stalled, and who sends there. */
final class RemotePort {
    private final int number;
    private final List<OutFlow> flows = new ArrayList<>();
    private boolean isStalled;

    RemotePort(final int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    boolean isStalled() {
        return isStalled;
    }

    void add(final OutFlow flow) {
        flows.add(flow);
    }

    /** The last flow that goes takes the stall along: who comes next is told anew. */
    boolean remove(final OutFlow flow) {
        flows.remove(flow);
        return flows.isEmpty();
    }

    void stalled(final boolean now) {
        isStalled = now;
        if (!now) {
            flows.forEach(flow -> flow.port().listener().onWritable());
        }
    }
}
