package io.vhca.rdp.status;

import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.SessionEnd;
import io.vhca.rdp.engine.PeerState;
import io.vhca.rdp.engine.RdpEngine;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A driver at one time, and the text that says so: a line a fact, words between blanks. */
public record DriverStatus(
        String device, long pid, InetAddress address, Map<Counter, Long> counters, List<NodeStatus> nodes,
        List<SocketStatus> sockets, List<ClientStatus> clients) {
    private static final String HEAD = "vhca-rdp 1";
    private static final String END = "end";

    /**
     * What a driver is now.
     *
     * @param clients the processes that are attached to it
     */
    public static DriverStatus of(
            final String device, final RdpEngine engine, final List<ClientStatus> clients) {
        final Map<Counter, Long> counters = new EnumMap<>(Counter.class);
        for (final Counter counter : Counter.values()) {
            counters.put(counter, engine.counters().get(counter));
        }
        return new DriverStatus(
                device, ProcessHandle.current().pid(), engine.address(), counters, NodeStatus.all(engine),
                SocketStatus.all(engine), clients);
    }

    /** A counter's name for people and for Prometheus. */
    public static String name(final Counter counter) {
        return counter.name().toLowerCase(Locale.ROOT);
    }

    public String format() {
        final StringBuilder text = new StringBuilder(HEAD).append('\n');
        text.append("driver ").append(device).append(' ').append(pid).append(' ')
                .append(address.getHostAddress()).append('\n').append(StartLine.of(pid));
        counters.forEach((counter, value) ->
                text.append("counter ").append(counter.name()).append(' ').append(value).append('\n'));
        for (final NodeStatus node : nodes) {
            text.append("node ").append(node.address().getHostAddress()).append(' ').append(node.state())
                    .append(' ').append(node.isBlocked()).append(' ').append(node.failures())
                    .append(' ').append(node.lastEnd()).append('\n');
        }
        for (final SocketStatus socket : sockets) {
            text.append("socket ").append(socket.port()).append(' ').append(socket.pending()).append(' ')
                    .append(socket.pendingBytes()).append(' ').append(socket.sendHeld()).append(' ')
                    .append(socket.isStalled()).append(' ').append(socket.sendLimit()).append(' ')
                    .append(socket.receiveLimit()).append('\n');
        }
        for (final ClientStatus client : clients) {
            text.append("client ").append(client.pid()).append(' ').append(client.user()).append(' ')
                    .append(client.sockets()).append(' ').append(client.calls()).append('\n');
        }
        return text.append(END).append('\n').toString();
    }

    /**
     * Reads what {@link #format} wrote; lines of a kind that is not known are left out.
     *
     * @throws IllegalArgumentException says which line is wrong
     */
    public static DriverStatus parse(final String text) {
        final String[] lines = text.split("\n");
        if (lines.length == 0 || !lines[0].equals(HEAD) || !lines[lines.length - 1].equals(END)) {
            throw new IllegalArgumentException("it is not the whole status of a driver of this version");
        }
        String[] driver = {};
        final Map<Counter, Long> counters = new EnumMap<>(Counter.class);
        final List<NodeStatus> nodes = new ArrayList<>();
        final List<SocketStatus> sockets = new ArrayList<>();
        final List<ClientStatus> clients = new ArrayList<>();
        for (final String line : lines) {
            final String[] words = line.split(" ");
            try {
                switch (words[0]) {
                    case "driver" -> driver = words;
                    case "counter" -> counters.put(Counter.valueOf(words[1]), Long.valueOf(words[2]));
                    case "node" -> nodes.add(new NodeStatus(
                            InetAddress.ofLiteral(words[1]), PeerState.valueOf(words[2]),
                            Boolean.parseBoolean(words[3]), Integer.parseInt(words[4]),
                            words.length > 5 ? SessionEnd.valueOf(words[5]) : SessionEnd.NONE));
                    case "socket" -> sockets.add(socket(words));
                    case "client" -> clients.add(new ClientStatus(
                            Long.parseLong(words[1]), Long.parseLong(words[2]), Integer.parseInt(words[3]),
                            Long.parseLong(words[4])));
                    default -> {
                        // The head, the end, or what a later version says more.
                    }
                }
            } catch (final IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
                throw new IllegalArgumentException("its line \"" + line + "\" cannot be read", e);
            }
        }
        if (driver.length < 4) {
            throw new IllegalArgumentException("it does not say which driver it is of");
        }
        if (driver[1].chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("its device's name has characters that command a terminal");
        }
        return new DriverStatus(
                driver[1], Long.parseLong(driver[2]), InetAddress.ofLiteral(driver[3]), counters, nodes, sockets,
                clients);
    }

    private static SocketStatus socket(final String[] words) {
        return new SocketStatus(
                Integer.parseInt(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3]),
                Long.parseLong(words[4]), Boolean.parseBoolean(words[5]), Integer.parseInt(words[6]),
                Integer.parseInt(words[7]));
    }
}
