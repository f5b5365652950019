package io.vhca.bond.fake;

import io.vhca.api.ServiceClass;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The network between fake devices. Devices reach each other when both ports are up, both addresses are in one network
 * (the first two bytes of IPv4) and the path between them is not cut.
 *
 * <p>CM messages arrive at once. Posted requests wait until {@link #run}; requests over a path that is cut wait until
 * {@link #expire} fails them as a spent retry budget does.
 */
public final class FakeFabric {
    private static final int ALL_CLASSES = -1;

    private final List<FakeDevice> devices = new ArrayList<>();
    private final Set<Path> cuts = new HashSet<>();
    private final Set<CmMessage> lost = EnumSet.noneOf(CmMessage.class);
    private final List<Runnable> missed = new ArrayList<>();
    private final List<Heard> heard = new ArrayList<>();
    private int nextNumber = 0x100;
    private boolean stopped;

    /**
     * What somebody on the path has heard.
     *
     * @param port of a REQ, else 0
     */
    public record Heard(CmMessage kind, InetAddress from, InetAddress to, int port, byte[] data) {}

    /** All messages of the connection manager with private data, in their order; whether they arrived or not. */
    public List<Heard> heard() {
        return heard;
    }

    void hear(final CmMessage kind, final FakeContext from, final InetSocketAddress to, final byte[] data) {
        if (data.length > 0) {
            heard.add(new Heard(kind, from.fake().address(), to.getAddress(), to.getPort(), data));
        }
    }

    /** One direction between two devices, for packets of one traffic class or of all. */
    private record Path(FakeDevice from, FakeDevice to, int trafficClass) {}
    /** The messages of the connection manager that can be lost. */
    public enum CmMessage {
        REQ,
        REP,
        RTU,
        REJ,
        DREQ
    }

    /** Adds a device with an active port. */
    public FakeDevice device(final String name, final String address) {
        final FakeDevice device = new FakeDevice(this, name, InetAddress.ofLiteral(address));
        devices.add(device);
        return device;
    }

    /** Nothing passes between two devices any more, in either direction. */
    public void cut(final FakeDevice one, final FakeDevice other) {
        cut(one, other, ALL_CLASSES);
    }

    /** The same of one traffic class of queue pairs; the connection manager has none. */
    public void cut(final FakeDevice one, final FakeDevice other, final int trafficClass) {
        cuts.add(new Path(one, other, trafficClass));
        cuts.add(new Path(other, one, trafficClass));
    }

    /** Everything passes again. */
    public void heal() {
        cuts.clear();
        lost.clear();
    }

    /** Messages of that kind are lost from now on. */
    public void lose(final CmMessage kind) {
        lost.add(kind);
    }

    void missed(final Runnable confirmation) {
        missed.add(confirmation);
    }

    /** Whose RTU was lost is told after all, as the CM does that repeats its REP. */
    public void confirm() {
        missed.forEach(Runnable::run);
        missed.clear();
    }

    /** Requests stay where they are, or are executed again by {@link #run}. */
    public void stop(final boolean value) {
        stopped = value;
    }

    boolean isLost(final CmMessage kind) {
        return lost.contains(kind);
    }

    int nextNumber() {
        return nextNumber++;
    }

    /** The open device at an address that another one reaches, or null. */
    @Nullable FakeContext reach(final FakeContext from, final InetAddress to) {
        for (final FakeDevice device : devices) {
            final FakeContext open = device.context();
            if (open != null && device.address().equals(to) && reaches(from.fake(), device)) {
                return open;
            }
        }
        return null;
    }

    boolean reaches(final FakeDevice from, final FakeDevice to) {
        final byte[] one = from.address().getAddress();
        final byte[] other = to.address().getAddress();
        return from.isUp()
                && to.isUp()
                && one[0] == other[0]
                && one[1] == other[1]
                && !cuts.contains(new Path(from, to, ALL_CLASSES));
    }

    /** The same for packets of that class. */
    boolean reaches(final FakeDevice from, final FakeDevice to, final ServiceClass service) {
        return reaches(from, to) && !cuts.contains(new Path(from, to, Math.max(service.trafficClass(), 0)));
    }

    /** Executes what can be executed; how many requests that were. */
    public int run() {
        int count = 0;
        if (!stopped) {
            for (final FakeQp qp : queuePairs()) {
                count += qp.execute();
            }
        }
        return count;
    }

    /** Fails the oldest request of each queue pair whose peer does not answer; how many there were. */
    public int expire() {
        int count = 0;
        for (final FakeQp qp : queuePairs()) {
            count += qp.expire() ? 1 : 0;
        }
        return count;
    }

    private List<FakeQp> queuePairs() {
        final List<FakeQp> all = new ArrayList<>();
        for (final FakeDevice device : devices) {
            final FakeContext open = device.context();
            if (open != null) {
                all.addAll(open.queuePairs());
            }
        }
        return all;
    }
}
