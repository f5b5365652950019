package io.vhca.harness.lab;

import io.vhca.harness.drill.protocol.DrillScenario;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** What can go wrong with a link between the machines, or with a whole side. */
public enum LabFault {
    /** The cable is pulled: carrier off, from outside of the machine. */
    CARRIER("carrier off, from outside of the machine", 0) {
        @Override
        long apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            final long nowNs = System.nanoTime();
            lab.machine(machine).carrier(link, isUp);
            return nowNs;
        }
    },
    /** {@code ip link set down} in the machine. */
    DOWN("'ip link set down' in the machine", 0) {
        @Override
        long apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            return lab.timed(machine, setLink(link, isUp));
        }
    },
    /** What the machine sends is lost, what it receives arrives: netem at its egress. */
    EGRESS("what this side sends is lost, what it receives arrives", 0) {
        @Override
        long apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            return lab.timed(machine, netem(link, isUp));
        }
    },
    /** Everything is lost in both directions and no port goes down: a switch that died in the middle. */
    LOSS("everything is lost both ways, no port goes down", 0) {
        @Override
        long apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            final long atNs = lab.timed(machine, netem(link, isUp));
            lab.timed(Lab.peer(machine), netem(link, isUp));
            return atNs;
        }
    },
    /** The RDMA device is removed: {@code rdma link del}; healed by {@code rdma link add}. */
    DEVICE("'rdma link del' of the device, later 'rdma link add'", 0) {
        @Override
        long apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            // The removal returns only when every user has let go; the drill must go on meanwhile.
            return lab.timed(machine, (isUp ? "add_device " : "rdma link del rxe") + link + (isUp ? "" : " &"));
        }
    },
    /** Both links of the machine go down for 3 s, then the other one comes back; the rest with the next cut. */
    BOTH("both links of this side down for 3 s, then one back", 3_000) {
        @Override
        long apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            if (isUp) {
                return lab.timed(machine, "revive_link " + (1 - link));
            }
            // What the cut before left down, on either side.
            for (int side = 1; side <= Lab.MACHINES; side++) {
                lab.timed(side, "revive_link 0 && revive_link 1");
            }
            return lab.timed(machine, setLink(link, false) + "; " + setLink(1 - link, false));
        }
    },
    /** The link in use goes down for 2 s, comes back, and so on from side to side. */
    FLAP("the link in use down for 2 s, up again, and so on", 2_000) {
        @Override
        long apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            return DOWN.apply(lab, machine, link, isUp);
        }
    },
    /** The machine stops for 3 s, its links stay up. */
    PAUSE("the machine of this side stops for 3 s", 3_000) {
        @Override
        long apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            final long nowNs = System.nanoTime();
            lab.machine(machine).pause(!isUp);
            if (isUp) {
                // Its clock stood still meanwhile.
                lab.measureClocks();
            }
            return nowNs;
        }
    },
    /** The interface loses its address, and with it the device its GID; healed by giving it back. */
    ADDRESS("'ip addr del' of the interface's address, later 'ip addr add'", 0) {
        @Override
        long apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            final String address = "10.77." + link + '.' + machine + "/24 dev eth" + link;
            return lab.timed(machine, "ip addr " + (isUp ? "add " : "del ") + address);
        }
    },
    /** Carrier off as above; rxe0 is the primary, so that the connection returns each time. */
    PRIMARY("carrier off; the first member is the primary", DrillScenario.PRIMARY) {
        @Override
        long apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            return CARRIER.apply(lab, machine, link, isUp);
        }
    },
    /** Each cut of another kind: in a test of minutes, whose machines are slow to connect, one connection has all. */
    SERIES("egress, carrier, down, device and drain in turn, one a cut", 0) {
        @Override
        LabFault ofCut(final int number) {
            return IN_TURN.get(number % IN_TURN.size());
        }
    },
    /** Nothing is cut: what moves a connection is a false alarm, and may cost a move and no error. */
    CALM("nothing is cut, and what moves is a false alarm", 0),
    /** An operator drains the member, and resumes it. */
    DRAIN("the member is drained under load, and resumed", DrillScenario.DRAIN),
    /** An operator removes the member from the bond, and adds it again. */
    REMOVE("the member is removed from the bond under load, and added again", DrillScenario.REMOVE),
    /** kill -9 of the receiving process, for good. */
    KILL("kill -9 of the receiving process", 0),
    /** The receiver's machine loses power, for good. */
    POWEROFF("the receiving machine loses power", 0);

    private static final List<LabFault> IN_TURN = List.of(EGRESS, CARRIER, DOWN, DEVICE, DRAIN);

    private final String description;
    private final long healAfterMs;
    private final DrillScenario scenario;

    LabFault(final String description, final long healAfterMs) {
        this(description, healAfterMs, DrillScenario.CUT);
    }

    LabFault(final String description, final DrillScenario scenario) {
        this(description, 0, scenario);
    }

    LabFault(final String description, final long healAfterMs, final DrillScenario scenario) {
        this.description = description;
        this.healAfterMs = healAfterMs;
        this.scenario = scenario;
    }

    /** One line for people. */
    public String description() {
        return description;
    }

    /** As it is written on a command line. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    DrillScenario scenario() {
        return scenario;
    }

    /** True where the receiver dies for good and the sender must get a named error. */
    public boolean isDeath() {
        return this == KILL || this == POWEROFF;
    }

    /** What happens at the cut of that number, from 0: itself, but for {@link #SERIES}. */
    LabFault ofCut(final int number) {
        return this;
    }

    /** Cuts in which all of it happens: one, but for {@link #SERIES} and {@link #CALM}. */
    public int leastCuts() {
        return this == SERIES ? IN_TURN.size() : cuts(1);
    }

    /** So many cuts are made where so many are asked for. */
    int cuts(final int times) {
        return isDeath() || this == CALM ? 0 : times;
    }

    /** True where a series of all kinds has it too: not {@link #SERIES} of some of them, nor {@link #CALM}, a soak. */
    public boolean isOneOfAll() {
        return this != SERIES && this != CALM;
    }

    /** True for what can go on for as long as one likes. */
    public boolean isSoak() {
        return this == FLAP || this == CALM;
    }

    /** True where it takes the RDMA device itself away, which only rxe lets happen. */
    public boolean takesDeviceAway() {
        return this == DEVICE || this == SERIES;
    }

    /** True where the interface itself goes down, not only what it is connected to. */
    private boolean takesInterfaceDown() {
        return this == DOWN || this == FLAP;
    }

    /** After how long a cut is healed whatever happens; 0: once the connection has moved. */
    long healAfterNs() {
        return TimeUnit.MILLISECONDS.toNanos(healAfterMs);
    }

    /**
     * Cuts or heals.
     *
     * @param machine 1 or 2: the side of the link
     * @param link    0 or 1
     * @param isUp    heal
     * @return nanoTime of the moment just before it happened
     * @throws IllegalArgumentException for a death or an operator's doing, which is nothing that a link does
     */
    long apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
        throw new IllegalArgumentException(word() + " does not happen to a link");
    }

    /**
     * Heals, and where the interface itself was down with a new device: where several connections are under way, the
     * connection manager of the old one is likely to be dumb.
     */
    final long renew(final Lab lab, final int machine, final int link) throws IOException {
        return takesInterfaceDown() ? lab.timed(machine, "revive_link " + link) : apply(lab, machine, link, true);
    }

    private static String setLink(final int link, final boolean isUp) {
        return "ip link set eth" + link + (isUp ? " up" : " down");
    }

    private static String netem(final int link, final boolean isUp) {
        return "lose " + link + (isUp ? " nothing" : " everything");
    }
}
