package io.vhca.harness.sim.host;

import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.scenario.BondOptions;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import io.vhca.physical.soft.SoftContext;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.physical.soft.cm.CmConfig;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.fabric.FabricPort;
import io.vhca.physical.soft.fabric.SimFabric;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.SplittableRandom;

/** One soft RNIC of a simulated host, on a port of the fabric, driven by hand. */
public final class SoftMember {
    /** Room for every header of a packet, ICRC included. */
    public static final int HEADER_ROOM = 96;

    private static final int NETWORK = 10;
    private static final int FIRST_SEPARATE_SUBNET = 32;
    private static final int MOST_ACKED_EARLY = 4;

    private final FabricPort port;
    private final SoftDevice device;
    private SoftContext context;
    private boolean isDead;
    private int gidIndex;

    SoftMember(
            final Scenario scenario, final Side side, final int index, final SimFabric fabric,
            final SplittableRandom random) {
        port = fabric.addPort(
                Gid.of(address(scenario, side, index)), scenario.network().mtuBytes(side, index) + HEADER_ROOM);
        final SoftNicConfig config = new SoftNicConfig()
                .seed(random.nextLong())
                .portCheckIntervalNs(0)
                .forgetsLastReceive(scenario.has(Trait.NO_LAST_WQE_EVENT))
                .forgetsPostsInError(scenario.has(Trait.POSTS_IN_ERR_FORGOTTEN))
                .ackBeforePlacingMessages(scenario.hasEarlyAcks(side, index) ? MOST_ACKED_EARLY : 0);
        device = SoftDevice.driven(
                BondOptions.memberName(side, index), (side.ordinal() + 1L) << 8 | index, this::plugged, config,
                CmConfig.DEFAULT, random.split());
        context = device.open();
        context.doWork(scenario.network().startNs());
    }

    /** Where a member is: all on one network, or each pair of members on one of its own. */
    public static InetAddress address(final Scenario scenario, final Side side, final int index) {
        return scenario.has(Trait.SEPARATE_NETWORKS)
                ? address(FIRST_SEPARATE_SUBNET + index, side.ordinal())
                : address(side.ordinal(), index);
    }

    /** Address {@code 10.0.subnet.index+1}. */
    public static InetAddress address(final int subnet, final int index) {
        try {
            return InetAddress.getByAddress(new byte[] {NETWORK, 0, (byte) subnet, (byte) (index + 1)});
        } catch (final UnknownHostException e) {
            throw new AssertionError("four bytes are always an address", e);
        }
    }

    private FabricPort plugged() {
        port.revive();
        return port;
    }

    SoftDevice device() {
        return device;
    }

    /** Opens the device that was revived; throws ENODEV while it was not. From now on this context is driven. */
    SoftContext reopen() {
        context = device.open();
        return context;
    }

    FabricPort port() {
        return port;
    }

    SoftContext context() {
        return context;
    }

    int doWork(final long nowNs) {
        return context.doWork(nowNs);
    }

    long nextDeadlineNs() {
        return context.nextDeadlineNs();
    }

    void hangSenders() {
        device.stallSenders();
    }

    void moveGid() {
        device.moveGid(++gidIndex);
    }

    void shrinkMtu(final boolean isSmall) {
        device.setMtu(isSmall ? Mtu.MTU_256 : Mtu.MTU_4096);
    }

    boolean isDead() {
        return isDead;
    }

    /** The device dies; a second death changes nothing. */
    void kill() {
        if (!isDead) {
            isDead = true;
            device.kill();
        }
    }

    /** A device that died can be opened again. */
    void revive() {
        isDead = false;
        device.revive();
    }

    void close() {
        context.close();
    }
}
