package io.vhca.rdp.shared;

import io.vhca.api.Errno;
import io.vhca.api.ProcessUser;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.access.Credentials;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.unix.MemoryFile;
import io.vhca.rdp.unix.UnixPeer;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Who has connected to a driver and not said yet what he wants: he has a minute, for a process that has just begun may
 * have little of a processor, or be stopped. Too many of them give way before. The server's thread alone.
 */
final class AttachDesk {
    private static final Logger LOGGER = System.getLogger(AttachDesk.class.getName());
    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(1);
    static final int MOST_CLIENTS = 256;
    /** The last places are for others, but for root and who runs the driver. */
    private static final int MOST_OF_ONE_USER = MOST_CLIENTS - 32;

    private final RdpDriver driver;
    private final ServerWork work;
    private final BiPredicate<String, Long> isNews;

    /** Somebody who has connected. */
    record Visitor(SocketChannel channel, ByteBuffer request, long user, long sinceNs) {
        static Visitor of(final SocketChannel channel, final long nowNs) throws IOException {
            return new Visitor(
                    channel, ByteBuffer.allocate(AttachDescriptor.REQUEST_SIZE), UnixPeer.of(channel).user(), nowNs);
        }

        boolean isLate(final long nowNs) {
            return nowNs - sinceNs > PATIENCE_NS;
        }
    }

    /** @param isNews what is to be logged, by the time that it came: as it was not a moment ago */
    AttachDesk(final RdpDriver driver, final ServerWork work, final BiPredicate<String, Long> isNews) {
        this.driver = driver;
        this.work = work;
        this.isNews = isNews;
    }

    /**
     * Reads what a visitor says.
     *
     * @param clients who is attached
     * @return the client that he is now; null where he is refused, or has not said all yet ({@link #isWaiting})
     */
    @Nullable ServedClient read(final Visitor visitor, final List<ServedClient> clients) throws IOException {
        if (visitor.channel.read(visitor.request) < 0) {
            throw new IOException("it was closed before anything was asked");
        }
        if (isWaiting(visitor)) {
            return null;
        }
        final int version = AttachDescriptor.version(visitor.request);
        if (version < 0) {
            return refuse(visitor, Errno.EPROTO, "what was asked is no attach of a client of datagram sockets");
        }
        if (version != AttachDescriptor.VERSION) {
            return refuse(visitor, Errno.EPROTONOSUPPORT, "the driver of " + driver.name() + " speaks version "
                    + AttachDescriptor.VERSION + ", the client version " + version
                    + "; let both have the same release of vHCA");
        }
        final UnixPeer peer = UnixPeer.of(visitor.channel);
        final Credentials who = Credentials.ofPeer(peer.pid(), peer.user(), peer.group());
        // Here too: who may have no socket takes the place of nobody who may.
        final String why = driver.sockets().refusal(driver, who);
        if (!why.isEmpty()) {
            return refuse(visitor, Errno.EPERM, why);
        }
        final boolean isOwn = ProcessUser.isRootOrOwn(who.user());
        final long ofUser = clients.stream().filter(client -> client.user() == who.user()).count();
        if (!hasRoom(clients.size(), ofUser, isOwn)) {
            return refuse(visitor, Errno.ENOBUFS, "the driver of " + driver.name()
                    + " has as many clients as it can have, or " + MOST_OF_ONE_USER
                    + " of this user; end one of them");
        }
        return attach(visitor, who);
    }

    /**
     * Whether one more client can be attached.
     *
     * @param ofUser clients of that user
     * @param isOwn  it is root, or who runs the driver
     */
    static boolean hasRoom(final int clients, final long ofUser, final boolean isOwn) {
        return clients < MOST_CLIENTS && (isOwn || ofUser < MOST_OF_ONE_USER);
    }

    /** Who goes where one comes too many: of the user that has most of them, the one that is silent longest. */
    static Visitor givesWay(final List<Visitor> oldestFirst) {
        final Map<Long, Long> ofUsers =
                oldestFirst.stream().collect(Collectors.groupingBy(Visitor::user, Collectors.counting()));
        final long most = Collections.max(ofUsers.values());
        return oldestFirst.stream()
                .filter(visitor -> ofUsers.getOrDefault(visitor.user, 0L) == most)
                .findFirst()
                .orElseThrow();
    }

    /** He has not said all yet. */
    boolean isWaiting(final Visitor visitor) {
        return visitor.request.hasRemaining();
    }

    private AttachDescriptor.Answer answer(final int errno, final int ringBytes, final int longest, final String why) {
        return new AttachDescriptor.Answer(
                AttachDescriptor.VERSION, errno, ringBytes, longest, ProcessHandle.current().pid(), driver.address(),
                why);
    }

    private @Nullable ServedClient refuse(final Visitor visitor, final int errno, final String why)
            throws IOException {
        if (isNews.test(visitor.user + ": " + why, visitor.sinceNs)) {
            LOGGER.log(Logger.Level.WARNING, "an attach by " + UnixPeer.of(visitor.channel) + " is refused: " + why);
        }
        visitor.channel.write(ByteBuffer.wrap(AttachDescriptor.encode(answer(errno, 0, 0, why))));
        visitor.channel.close();
        // Last: one that does not take its answer is counted as an attach that failed.
        count(Counter.ATTACHES_REFUSED);
        return null;
    }

    private ServedClient attach(final Visitor visitor, final Credentials who) throws IOException {
        final int longest = driver.config().longestMessage();
        final int ringBytes = RegionDescriptor.ringBytes(longest);
        try (MemoryFile file = MemoryFile.create("vhca-rdp-" + driver.name(), RegionDescriptor.size(ringBytes))) {
            final SharedRegion region = SharedRegion.create(file, ringBytes);
            boolean isDone = false;
            try {
                final int fits = Math.min(longest, RegionDescriptor.longestDatagram(ringBytes));
                final ServedClient client = new ServedClient(
                        driver, work, who, visitor.channel, region, fits);
                UnixPeer.send(visitor.channel, AttachDescriptor.encode(answer(0, ringBytes, fits, "")), file);
                isDone = true;
                count(Counter.CLIENTS_ATTACHED);
                return client;
            } finally {
                if (!isDone) {
                    region.unmap();
                }
            }
        }
    }

    /** Counts inside the driver. */
    void count(final Counter counter) {
        driver.sockets().count(driver, counter);
    }
}
