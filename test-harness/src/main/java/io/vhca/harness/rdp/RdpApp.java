package io.vhca.harness.rdp;

import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Violations;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.engine.SendResult;
import io.vhca.rdp.status.NodeStatus;
import io.vhca.rdp.status.SocketStatus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The application of one life of a host: every socket sends to every socket of the other hosts, and receives. */
final class RdpApp {
    private static final int FIRST_PORT = 100;
    private static final long RETRY_NS = RdpScenario.MS;
    private static final int LONGEST = 12 << 10;
    /** Beside the largest payloads, so that all size classes and segments are used. */
    private static final int[] LENGTHS = {20, 200, 256, 257, 992, 1_024, 4_064, 4_096, 4_097, 9_000};

    private final RdpScenario scenario;
    private final RdpMutation mutation;
    private final int node;
    private final RdpHost host;
    private final RdpBook book;
    private final Violations violations;
    private final SplittableRandom random;
    private final SplittableRandom inPlace;
    private final SplittableRandom directed;
    private final SplittableRandom names;
    private final List<RdpSocket> sockets = new ArrayList<>();
    private final List<RdpSlots> slots = new ArrayList<>();
    private final List<RdpNamed> named = new ArrayList<>();
    private final List<Talk> talks = new ArrayList<>();
    private final ByteBuffer bytes = ByteBuffer.allocate(LONGEST);
    private final int[] failures;
    private final long[] blockedUntilNs;
    private long failedSeen;
    private long receivedSeen;
    private boolean isAwake = true;
    private long nextNs;

    /** What one socket sends to one other. */
    private final class Talk {
        private final int socket;
        private final int to;
        /** Where datagrams of the other one come from. */
        private final InetSocketAddress name;
        /** One of its addresses. */
        private final InetSocketAddress destination;
        private int sent;
        private int failuresBefore;
        private int length;
        private boolean isInPlace;
        private boolean isDirected;
        private long notBeforeNs;

        private Talk(final int socket, final int to, final int toPort) {
            this.socket = socket;
            this.to = to;
            name = new InetSocketAddress(RdpHost.alias(to), toPort);
            destination = new InetSocketAddress(drawAddress(to), toPort);
            length = drawLength();
        }

        private RdpBook.Pair pair(final int toLife) {
            return new RdpBook.Pair(node, host.life(), FIRST_PORT + socket, to, toLife, destination.getPort());
        }
    }

    RdpApp(
            final RdpScenario scenario, final RdpMutation mutation, final int node, final RdpHost host,
            final RdpBook book, final Violations violations) {
        this.scenario = scenario;
        this.mutation = mutation;
        this.node = node;
        this.host = host;
        this.book = book;
        this.violations = violations;
        random = Draws.stream(scenario.seed(), 50 + 8 * host.life() + node);
        inPlace = Draws.stream(scenario.seed(), 90 + 8 * host.life() + node);
        directed = Draws.stream(scenario.seed(), 130 + 8 * host.life() + node);
        names = Draws.stream(scenario.seed(), 170 + 8 * host.life() + node);
        failures = new int[scenario.nodes()];
        blockedUntilNs = new long[scenario.nodes()];
        for (int socket = 0; socket < scenario.sockets(); socket++) {
            sockets.add(host.driver().bind(FIRST_PORT + socket));
            slots.add(new RdpSlots(sockets.getLast(), LONGEST, mutation, violations));
            named.add(new RdpNamed(sockets.getLast(), mutation, violations, LONGEST, directed.split()));
            for (int to = 0; to < scenario.nodes(); to++) {
                for (int toSocket = 0; toSocket < scenario.sockets() && to != node; toSocket++) {
                    talks.add(new Talk(socket, to, FIRST_PORT + toSocket));
                    if (scenario.isDirected()) {
                        named.getLast().add(talks.getLast().name);
                    }
                }
            }
        }
    }

    /** The one that a node calls its own mostly, or that of a member of its bond. */
    private InetAddress drawAddress(final int of) {
        return names.nextInt(4) == 0 ? RdpHost.address(of, names.nextInt(scenario.members())) : RdpHost.alias(of);
    }

    private int drawLength() {
        // Short ones mostly, so that different classes are on their way together.
        return LENGTHS[random.nextInt(random.nextBoolean() ? LENGTHS.length : 4)];
    }

    /** Something happened that is not its own doing. */
    void wake() {
        isAwake = true;
    }

    /** Whether it has something to do though its host had no turn. */
    boolean isDue(final long nowNs) {
        return isAwake || nextNs - nowNs <= 0;
    }

    /** The driver had its turn: which paths are marked failed since. */
    void look(final long nowNs) {
        final long failed = host.driver().counters().get(Counter.PATHS_FAILED);
        if (failed == failedSeen) {
            return;
        }
        failedSeen = failed;
        for (final NodeStatus status : host.driver().inside(NodeStatus::all)) {
            for (int to = 0; to < scenario.nodes(); to++) {
                if (status.address().equals(RdpHost.alias(to)) && status.failures() != failures[to]) {
                    failures[to] = status.failures();
                    blockedUntilNs[to] = nowNs + scenario.config().minRecoveryNs();
                }
            }
        }
    }

    /** @param lives which process of each host runs now */
    int doWork(final long nowNs, final int[] lives) {
        int work = 0;
        for (int socket = 0; socket < sockets.size(); socket++) {
            work += socket == 0 && node == scenario.slowNode() && nowNs - scenario.slowUntilNs() < 0
                    ? 0
                    : receive(socket);
        }
        for (final RdpSlots of : slots) {
            work += of.doWork();
        }
        for (int socket = 0; socket < sockets.size(); socket++) {
            work += place(socket, nowNs);
        }
        for (final Talk talk : talks) {
            work += send(talk, nowNs, lives[talk.to]);
        }
        checkHeld();
        isAwake = work > 0;
        nextNs = whenDue(nowNs);
        return work;
    }

    private int receive(final int socket) {
        int work = 0;
        bytes.clear();
        InetSocketAddress from = sockets.get(socket).receive(bytes);
        while (from != null && violations.isEmpty()) {
            bytes.flip();
            book.received(bytes, node, host.life(), FIRST_PORT + socket, from.getPort());
            work++;
            bytes.clear();
            from = sockets.get(socket).receive(bytes);
        }
        return work;
    }

    private int place(final int socket, final long nowNs) {
        return named.get(socket).doWork(nowNs, (datagram, from) -> {
            // What was sent before must be in the socket by now.
            receive(socket);
            if (violations.isEmpty()) {
                book.placed(datagram, node, host.life(), FIRST_PORT + socket, from.getPort());
            }
        });
    }

    private int send(final Talk talk, final long nowNs, final int toLife) {
        if (talk.sent == scenario.datagrams() || nowNs - talk.notBeforeNs < 0) {
            return 0;
        }
        final RdpBook.Pair pair = talk.pair(toLife);
        if (mutation == RdpMutation.DUPLICATE_AFTER_RECONNECT && !talk.isDirected
                && talk.failuresBefore != failures[talk.to] && book.sentCount(pair) > 1) {
            book.write(bytes, pair, talk.length);
            bytes.putInt(3 * Integer.BYTES, book.sentCount(pair) / 2);
            book.refill(bytes);
        } else {
            book.write(bytes, talk.isDirected ? pair.directed() : pair, talk.length);
        }
        if (talk.isDirected && !slots.get(talk.socket).hasFree()) {
            talk.notBeforeNs = nowNs + RETRY_NS;
            return 0;
        }
        final SendResult result = (talk.isInPlace || talk.isDirected) && slots.get(talk.socket).hasFree()
                ? slots.get(talk.socket).send(bytes, talk.destination, talk.isDirected)
                : sockets.get(talk.socket).send(bytes, talk.destination);
        talk.notBeforeNs = nowNs + RETRY_NS;
        if (result == SendResult.TOO_LONG) {
            violations.report("results", pair.toString(), talk.length + " bytes are too long");
        }
        if (result != SendResult.SENT) {
            return 0;
        }
        if (nowNs - blockedUntilNs[talk.to] < 0) {
            violations.report(
                    "a path that lost something fails for min_recovery", pair.toString(),
                    "taken " + (blockedUntilNs[talk.to] - nowNs) / 1_000 + " us too early");
        }
        talk.failuresBefore = failures[talk.to];
        if (talk.isDirected) {
            book.sentDirected(pair, failures[talk.to]);
        } else {
            book.sent(pair, failures[talk.to]);
        }
        talk.sent++;
        // One in four goes at once, so that several are on their way.
        talk.notBeforeNs = nowNs + (random.nextInt(4) == 0 ? 0 : random.nextLong(scenario.pauseNs() + 1));
        talk.length = drawLength();
        talk.isInPlace = inPlace.nextInt(3) == 0;
        talk.isDirected = scenario.isDirected() && directed.nextInt(4) == 0;
        return 1;
    }

    /** A socket never holds more than its high mark and what may be on its way when the stall is heard. */
    private void checkHeld() {
        final long received = host.driver().counters().get(Counter.RX_PACKETS);
        if (received == receivedSeen) {
            return;
        }
        receivedSeen = received;
        final RdpConfig config = scenario.config();
        long onTheWay = 0;
        for (final int payload : config.sizeClasses()) {
            onTheWay += 2L * (scenario.nodes() - 1) * config.dataRecvBuffers() * (payload + 64);
        }
        for (final SocketStatus socket : host.driver().inside(SocketStatus::all)) {
            final long most = (long) socket.receiveLimit() * config.highMarkPercent() / 100 + onTheWay;
            if (socket.pendingBytes() > most) {
                violations.report(
                        "a socket has its share", "node " + node + " port " + socket.port(),
                        socket.pendingBytes() + " bytes, more than " + most);
            }
        }
    }

    /** All buffers are in a pool, on a queue, or in a socket. */
    void checkBuffers() {
        final int missing = host.driver().missingBuffers();
        if (missing != 0) {
            violations.report("no buffer is lost", "node " + node, missing + " are nowhere");
        }
    }

    /** When it wants its next turn by itself. */
    long nextDeadlineNs() {
        return nextNs;
    }

    /** When a refused send is tried again. */
    private long whenDue(final long nowNs) {
        long next = Long.MAX_VALUE;
        for (final Talk talk : talks) {
            if (talk.sent < scenario.datagrams()) {
                next = RdpHost.earlier(next, talk.notBeforeNs);
            }
        }
        for (final RdpNamed of : named) {
            next = RdpHost.earlier(next, of.nextDeadlineNs());
        }
        if (node == scenario.slowNode() && scenario.slowUntilNs() - nowNs > 0) {
            next = RdpHost.earlier(next, scenario.slowUntilNs());
        }
        return next;
    }

    /** What of this application is unfinished, empty where nothing is. */
    String unfinished(final int[] lives) {
        for (final Talk talk : talks) {
            final RdpBook.Pair pair = talk.pair(lives[talk.to]);
            if (talk.sent < scenario.datagrams()) {
                return pair + " sent " + talk.sent + " of " + scenario.datagrams();
            }
            if (!book.isComplete(pair, failures[talk.to])
                    || !book.isComplete(pair.directed(), failures[talk.to])) {
                return pair + " did not get all";
            }
        }
        for (final RdpSlots of : slots) {
            if (of.busy() > 0) {
                return "node " + node + ": " + of.busy() + " sends in place are not over";
            }
        }
        return "";
    }
}
