package io.vhca.harness.lab;

import java.io.IOException;
import java.util.Locale;

/** How a link between the machines dies, at one side of it. Every kind can be healed. */
public enum LinkFault {
    /** The cable is pulled: carrier off, from outside of the machine. */
    CARRIER("carrier off, from outside of the machine") {
        @Override
        void apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            lab.machine(machine).carrier(link, isUp);
        }
    },
    /** {@code ip link set down} in the machine. */
    DOWN("'ip link set down' in the machine") {
        @Override
        void apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            lab.machine(machine).must("ip link set eth" + link + (isUp ? " up" : " down"));
        }
    },
    /** What the machine sends is lost, what it receives arrives: netem at its egress. */
    EGRESS("what this side sends is lost, what it receives arrives (netem)") {
        @Override
        void apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            netem(lab, machine, link, isUp);
        }
    },
    /** Everything is lost in both directions and no port goes down: a switch that died in the middle. */
    LOSS("everything is lost both ways, no port goes down (netem)") {
        @Override
        void apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            netem(lab, machine, link, isUp);
            netem(lab, Lab.peer(machine), link, isUp);
        }
    },
    /** The RDMA device is removed: {@code rdma link del}. */
    DEVICE("'rdma link del' of the device; healed by 'rdma link add'") {
        @Override
        void apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            lab.machine(machine).must(isUp
                    ? "rdma link add rxe" + link + " type rxe netdev eth" + link
                    : "rdma link del rxe" + link);
        }
    },
    /** The machine on that side stops for a while; both of its links go with it. */
    PAUSE("the machine of that side stops, both links with it") {
        @Override
        void apply(final Lab lab, final int machine, final int link, final boolean isUp) throws IOException {
            lab.machine(machine).pause(!isUp);
        }
    };

    private final String description;

    LinkFault(final String description) {
        this.description = description;
    }

    /** One line for people. */
    public String description() {
        return description;
    }

    /** As it is written on a command line. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Cuts or heals.
     *
     * @param machine 1 or 2: the side of the link
     * @param link    0 or 1
     * @param isUp    heal
     */
    abstract void apply(Lab lab, int machine, int link, boolean isUp) throws IOException;

    private static void netem(final Lab lab, final int machine, final int link, final boolean isUp)
            throws IOException {
        lab.machine(machine)
                .must(isUp
                        ? "tc qdisc del dev eth" + link + " root"
                        : "tc qdisc replace dev eth" + link + " root netem loss 100%");
    }
}
