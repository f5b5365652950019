package io.vhca.harness.sim.fault;

import io.vhca.harness.sim.core.Side;
import org.jspecify.annotations.Nullable;

/** Whose port each index of the fabric is. A process that is started again has ports of its own. */
public final class PortMap {
    private final @Nullable Side[] sides;
    private final int[] members;

    /** @param mostPorts ports that the fabric has at most */
    public PortMap(final int mostPorts) {
        sides = new Side[mostPorts];
        members = new int[mostPorts];
    }

    public void add(final int port, final Side side, final int member) {
        sides[port] = side;
        members[port] = member;
    }

    /** A port of a host that is on neither side. */
    public void addForeign(final int port) {
        sides[port] = null;
    }

    /** Whose port it is, null for one of neither side. */
    public @Nullable Side side(final int port) {
        return sides[port];
    }

    int member(final int port) {
        return members[port];
    }

    String name(final int port) {
        final Side side = sides[port];
        return side == null ? "stranger" : side.label() + members[port];
    }
}
