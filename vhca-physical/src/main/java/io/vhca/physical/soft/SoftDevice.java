package io.vhca.physical.soft;

import io.vhca.api.Device;
import io.vhca.api.Errno;
import io.vhca.api.Mtu;
import io.vhca.api.NodeType;
import io.vhca.api.ProcessEnd;
import io.vhca.api.VerbsException;
import io.vhca.physical.soft.capture.CapturingCarrier;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.cm.CmConfig;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.udp.UdpCarrier;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.agrona.concurrent.OffsetEpochNanoClock;
import org.jspecify.annotations.Nullable;

/**
 * An embedded RNIC. Any thread.
 *
 * <p>Opening it several times gives several contexts that share one port, one engine and one connection
 * manager. {@link #setPortUp}, {@link #kill}, {@link #stallSenders} and {@link #failSenders} are for drills: they do to
 * it what a pulled cable and a dying, a hanging or a failing adapter do to hardware.
 */
public final class SoftDevice implements Device {
    private final String name;
    private final long nodeGuid;
    private final Supplier<SoftAdapter> opener;
    private @Nullable SoftAdapter adapter;
    private @Nullable ProcessEnd processEnd;
    private boolean isUnplugged;
    private boolean isGone;

    private SoftDevice(final String name, final long nodeGuid, final Supplier<SoftAdapter> opener) {
        this.name = name;
        this.nodeGuid = nodeGuid;
        this.opener = opener;
    }

    /** A device on UDP port 4791 of an address of this host, run by a thread of its own while it is open. */
    public static SoftDevice overUdp(final SoftConfig config) {
        return overUdp(config, UnaryOperator.identity());
    }

    /**
     * As {@link #overUdp(SoftConfig)}, with something between the engine and the socket.
     *
     * @param tap wraps the carrier at each open, to record or to disturb what passes; closing it closes the carrier
     */
    public static SoftDevice overUdp(final SoftConfig config, final UnaryOperator<Carrier> tap) {
        return new SoftDevice(config.name(), config.nodeGuid(), () -> {
            final SecureRandom random = new SecureRandom();
            final UdpCarrier socket = new UdpCarrier(config.name(), config.address(), config.mtu());
            final SoftNicConfig nicConfig =
                    new SoftNicConfig().random(random).rateMbps(config.rate()).pollNs(config.pollUs() * 1_000L);
            Carrier carrier = socket;
            try {
                carrier = captured(config, socket);
                return SoftAdapter.threaded(
                        config.name(), config.nodeGuid(), tap.apply(carrier), nicConfig, random, socket);
            } catch (final RuntimeException | Error e) {
                carrier.close();
                throw e;
            }
        });
    }

    private static Carrier captured(final SoftConfig config, final Carrier socket) {
        final Path directory = config.capture();
        return directory == null
                ? socket
                : new CapturingCarrier(socket, config.name(), directory, new OffsetEpochNanoClock());
    }

    /**
     * A device that runs only inside {@link SoftContext#doWork}: no thread, no clock.
     *
     * @param carrier makes the carrier at each open; the device closes it with the last context
     * @param random  draws the connection manager's numbers
     */
    public static SoftDevice driven(
            final String name,
            final long nodeGuid,
            final Supplier<? extends Carrier> carrier,
            final SoftNicConfig config,
            final CmConfig cmConfig,
            final RandomGenerator random) {
        return new SoftDevice(
                name,
                nodeGuid,
                () -> SoftAdapter.driven(name, nodeGuid, carrier.get(), config, cmConfig, random));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long nodeGuid() {
        return nodeGuid;
    }

    @Override
    public NodeType nodeType() {
        return NodeType.CA;
    }

    @Override
    public synchronized SoftContext open() {
        if (isGone) {
            throw new VerbsException("openDevice", Errno.ENODEV, name, "the device was killed: revive it first");
        }
        SoftAdapter opened = adapter;
        if (opened == null) {
            opened = started(opener.get());
            if (isUnplugged) {
                opened.nic().setPort(false);
            }
            adapter = opened;
            if (opened.isThreaded()) {
                processEnd = ProcessEnd.register(ProcessEnd.Layer.PHYSICAL, this::sayGoodbye);
            }
        }
        final SoftContext context = new SoftContext(this, opened);
        opened.add(context);
        return context;
    }

    /** Closed where it has no thread: the host may have none to give. */
    private static SoftAdapter started(final SoftAdapter opened) {
        try {
            opened.start();
        } catch (final Error e) {
            opened.close();
            throw e;
        }
        return opened;
    }

    /** Lets go of a context; the last one closes the adapter. */
    synchronized void closed(final SoftContext context, final SoftAdapter of) {
        if (of.remove(context)) {
            of.close();
            if (adapter == of) {
                letGo();
            }
        }
    }

    /** The adapter is nobody's any more. */
    private void letGo() {
        adapter = null;
        final ProcessEnd registered = processEnd;
        processEnd = null;
        if (registered != null) {
            registered.close();
        }
    }

    /** The process ends. Nobody closes or kills the adapter meanwhile. */
    synchronized void sayGoodbye() {
        final SoftAdapter opened = adapter;
        if (opened != null) {
            opened.sayGoodbye();
        }
    }

    /** Pulls the cable out (false) or puts it in; holds for later opens as well. */
    public synchronized void setPortUp(final boolean up) {
        isUnplugged = !up;
        final SoftAdapter opened = adapter;
        if (opened != null) {
            opened.nic().setPort(up);
        }
    }

    /**
     * The adapter dies: open contexts become zombies (DEVICE_FATAL, then EIO, destroys succeed), opening answers ENODEV
     * until {@link #revive}. Not from inside a callback. Idempotent.
     */
    public synchronized void kill() {
        isGone = true;
        final SoftAdapter opened = adapter;
        if (opened != null) {
            letGo();
            opened.kill();
        }
    }

    /** The senders that are open now hang, with no event; see {@link io.vhca.physical.soft.engine.SoftNic}. */
    public synchronized void stallSenders() {
        final SoftAdapter opened = adapter;
        if (opened != null) {
            opened.nic().stallSenders();
        }
    }

    /** What is being sent now fails though the port is up; see {@link io.vhca.physical.soft.engine.SoftNic}. */
    public synchronized void failSenders() {
        final SoftAdapter opened = adapter;
        if (opened != null) {
            opened.nic().failSenders();
        }
    }

    /** The GID moves in its table; see {@link io.vhca.physical.soft.engine.SoftNic}. Until the device is closed. */
    public synchronized void moveGid(final int index) {
        final SoftAdapter opened = adapter;
        if (opened != null) {
            opened.nic().moveGid(index);
        }
    }

    /** The link's MTU changes; see {@link io.vhca.physical.soft.engine.SoftNic}. Until the device is closed. */
    public synchronized void setMtu(final Mtu mtu) {
        final SoftAdapter opened = adapter;
        if (opened != null) {
            opened.nic().setMtu(mtu);
        }
    }

    /** A killed device can be opened again. */
    public synchronized void revive() {
        isGone = false;
    }

    @Override
    public String toString() {
        return name;
    }
}
