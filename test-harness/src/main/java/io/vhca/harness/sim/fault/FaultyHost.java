package io.vhca.harness.sim.fault;

import java.util.Set;

/** What faults do to a host whose process lives. */
public interface FaultyHost {
    /** An operator takes a member out of use, where another one is left, or back into it. */
    void drain(int member, boolean isDrained);

    /** An operator removes a member from the bond, where another one is left, or adds it again. */
    void remove(int member, boolean isRemoved);

    /** An operator makes a member the active one, where the mode has one and the member is up. */
    void activate(int member);

    /** What a member's queue pairs have to send hangs for good, silently; those made later work. */
    void hangSenders(int member);

    /** What a member's queue pairs are sending fails with a local error, its port being up. */
    void failSenders(int member);

    /** A member's GID moves to the next place in its table. */
    void moveGid(int member);

    /** The MTU of a member's port is the smallest, or again what it was. */
    void shrinkMtu(int member, boolean isSmall);

    /** A member dies, as if pulled out. */
    void killDevice(int member);

    /** A member that died is plugged in again. */
    void reviveDevice(int member);

    /** Those threads get their turns by that rule from now on, beside what else starves them. */
    void starve(Set<HostThread> threads, TurnRule rule);

    /** The rule holds no more, for any thread. */
    void feed(TurnRule rule);

    /** The host's clock jumps ahead by so much. */
    void jumpClock(long byNs);
}
