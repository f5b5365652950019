package io.vhca.bond.fake;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.AtomicCapability;
import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Mtu;
import io.vhca.api.NodeType;
import io.vhca.api.QpType;
import io.vhca.api.VerbsException;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An adapter with one port, whose fate a test decides. */
public final class FakeDevice implements Device {
    private final FakeFabric fabric;
    private String name;
    private InetAddress address;
    private DeviceAttributes attributes;
    private @Nullable FakeContext context;
    private boolean portUp = true;
    private boolean isRouted = true;
    private final Set<InetAddress> unrouted = new HashSet<>();
    private boolean present = true;
    private int gidIndex;
    private int speedMbps = 100_000;
    private int maxMsgSz = 1 << 30;
    private Mtu maxMtu = Mtu.MTU_4096;
    private boolean lastWqeEvents = true;
    private boolean datagrams = true;
    private int sharedReceives;
    private final Set<String> refused = new HashSet<>();
    private @Nullable String refusedForGood;
    private int refusals;
    private boolean canResize = true;
    private final Map<String, Error> errors = new HashMap<>();
    private final Map<String, Runnable> actions = new HashMap<>();

    FakeDevice(final FakeFabric fabric, final String name, final InetAddress address) {
        this.fabric = fabric;
        this.name = name;
        this.address = address;
        attributes = new DeviceAttributes(
                "1", name.hashCode(), 1L << 40, 1_000, 1_024, 4, 1_000, 65_536, 1_000, 100, 16, 16,
                AtomicCapability.HCA, 256, 64, 1_024, 4, 64, 1);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long nodeGuid() {
        return attributes.nodeGuid();
    }

    @Override
    public NodeType nodeType() {
        return NodeType.CA;
    }

    @Override
    public Context open() {
        if (!present) {
            throw new VerbsException("openDevice", Errno.ENODEV, name, "it is not plugged in");
        }
        final FakeContext opened = new FakeContext(this);
        context = opened;
        return opened;
    }

    FakeFabric fabric() {
        return fabric;
    }

    /** The open context that was opened last, or null. */
    public @Nullable FakeContext context() {
        return context;
    }

    /** The same where a test knows that it is open. */
    public FakeContext opened() {
        return Objects.requireNonNull(context);
    }

    void closed(final FakeContext gone) {
        if (context == gone) {
            context = null;
        }
    }

    // ---- what a test decides ----------------------------------------------------------------------------------------

    /** As udev may do while it is away. */
    public void name(final String next) {
        name = next;
    }

    public DeviceAttributes attributes() {
        return attributes;
    }

    public FakeDevice attributes(final DeviceAttributes next) {
        attributes = next;
        return this;
    }

    public InetAddress address() {
        return address;
    }

    /** As the kernel: an address that is not there, and a link-local one that names no interface. */
    void checkOwn(final InetAddress wanted) {
        if (address.isAnyLocalAddress() || !wanted.isAnyLocalAddress() && !wanted.equals(address)) {
            throw new VerbsException("bindAddr", Errno.EADDRNOTAVAIL, name, wanted + " is not its address");
        }
        if (wanted.isLinkLocalAddress()) {
            throw new VerbsException("bindAddr", Errno.EINVAL, name, wanted + " names no interface");
        }
    }

    /** Its IP GID has another value; the device says GID_CHANGE. */
    public void address(final String next) {
        address = InetAddress.ofLiteral(next);
        say(AsyncEvent.ofPort(AsyncEventType.GID_CHANGE, 1));
    }

    int gidIndex() {
        return gidIndex;
    }

    /** Its IP GID stands at another place of its table; the device says GID_CHANGE. */
    public void gidIndex(final int next) {
        gidIndex = next;
        say(AsyncEvent.ofPort(AsyncEventType.GID_CHANGE, 1));
    }

    int speedMbps() {
        return speedMbps;
    }

    public FakeDevice speedMbps(final int next) {
        speedMbps = next;
        return this;
    }

    int maxMsgSz() {
        return maxMsgSz;
    }

    public FakeDevice maxMsgSz(final int next) {
        maxMsgSz = next;
        return this;
    }

    Mtu maxMtu() {
        return maxMtu;
    }

    public FakeDevice maxMtu(final Mtu next) {
        maxMtu = next;
        return this;
    }

    /** It has no memory for what that verb is to make, the next time that it is asked. */
    public void refuseOnce(final String verb) {
        refused.add(verb);
    }

    /** It has no memory for what that verb is to make, until another verb is named, or none. */
    public void refuse(final @Nullable String verb) {
        refusedForGood = verb;
        refusals = 0;
    }

    /** How often that verb was refused. */
    public int refusals() {
        return refusals;
    }

    /** As devices whose driver cannot resize completion queues. */
    public void cannotResize() {
        canResize = false;
    }

    void checkResize() {
        if (!canResize) {
            throw new VerbsException("resizeCq", Errno.EOPNOTSUPP, name, "the driver has no such verb");
        }
    }

    /** The next call of that verb throws that. */
    public void failOnce(final String verb, final Error error) {
        errors.put(verb, error);
    }

    /** That happens at the next call of that verb, in the thread that calls. */
    public void at(final String verb, final Runnable what) {
        actions.put(verb, what);
    }

    void checkRoom(final String verb) {
        final Runnable action = actions.remove(verb);
        if (action != null) {
            action.run();
        }
        final Error error = errors.remove(verb);
        if (error != null) {
            throw error;
        }
        if (verb.equals(refusedForGood)) {
            refusals++;
            throw new VerbsException(verb, Errno.ENOMEM, name, "there is never memory for that");
        }
        if (refused.remove(verb)) {
            throw new VerbsException(verb, Errno.ENOMEM, name, "there is no memory left");
        }
    }

    void onSharedReceive() {
        sharedReceives++;
    }

    /** Receives that it was given for its SRQs, ever. */
    public int sharedReceives() {
        return sharedReceives;
    }

    boolean raisesLastWqe() {
        return lastWqeEvents;
    }

    /** It does not raise QP_LAST_WQE_REACHED. */
    public void muteLastWqe() {
        lastWqeEvents = false;
    }

    /** It has no UD queue pairs from now on. */
    public void withoutDatagrams() {
        datagrams = false;
    }

    void checkType(final QpType type) {
        if (type == QpType.UD && !datagrams) {
            throw new VerbsException("createQp", Errno.EOPNOTSUPP, name, "it has no UD queue pairs");
        }
    }

    boolean isUp() {
        return present && portUp;
    }

    boolean isPortUp() {
        return portUp;
    }

    /** The port goes down or comes up, and the device says so. */
    public void port(final boolean up) {
        portSilently(up);
        say(AsyncEvent.ofPort(up ? AsyncEventType.PORT_ACTIVE : AsyncEventType.PORT_ERR, 1));
    }

    /** The same without a word: it is found out by looking. */
    public void portSilently(final boolean up) {
        portUp = up;
    }

    /** The device is gone; its context, where one is open, says DEVICE_FATAL. */
    public void die() {
        dieSilently();
        if (context != null) {
            say(AsyncEvent.ofDevice(AsyncEventType.DEVICE_FATAL));
        }
    }

    /** No address can be resolved any more, or again: the route is gone, and the port still active. */
    public void routed(final boolean value) {
        isRouted = value;
    }

    /** The same of one address, for good. */
    public void unrouted(final InetAddress to) {
        unrouted.add(to);
    }

    boolean isRouted(final InetAddress to) {
        return isRouted && !unrouted.contains(to);
    }

    /** The device is gone, and its event is still on the way. */
    public void dieSilently() {
        present = false;
        final FakeContext open = context;
        if (open != null) {
            open.die();
        }
    }

    /** The device is gone, and nobody but the connection manager says so: each id gets DEVICE_REMOVAL. */
    public void removeByCm() {
        present = false;
        final FakeContext open = context;
        if (open != null) {
            open.die();
            open.removeByCm();
        }
    }

    /** It is plugged in again: whoever opens it gets another context. */
    public void plug() {
        present = true;
    }

    /** The device raises an event. */
    public void say(final AsyncEvent event) {
        final FakeContext open = context;
        if (open != null) {
            open.raise(event);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
