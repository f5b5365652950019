package io.vhca.rdp.nio;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSockets;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpConfigParser;
import io.vhca.rdp.shared.SharedDriver;
import java.net.BindException;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The networks of a provider. Those that system properties name are opened when a channel needs to know them, each
 * device with a driver that lives as long as the process. Any thread.
 */
final class RdpNetworks {
    /** Names of devices with commas between; {@code bond0/24} reaches all that agree in 24 bits. */
    static final String DEVICES = "vhca.rdp.devices";
    /** Options of the drivers, NAME=VALUE with blanks or semicolons between. */
    static final String OPTIONS = "vhca.rdp.options";

    /**
     * {@code embedded}: drivers are this process's own; {@code shared}: those that this host has for all processes;
     * {@code shared,start}: those, and one that is not there is started.
     */
    static final String DRIVER = "vhca.rdp.driver";

    /** How many ms a send that must not block waits for a destination that is being connected. */
    static final String OPEN_WAIT = "vhca.rdp.connect.wait";

    private static final long DEFAULT_OPEN_WAIT_MS = 1_000;
    private static final String DEFAULT_DEVICE = "bond0";
    private static final String EMBEDDED = "embedded";
    private static final String SHARED = "shared";
    private static final String START = "shared,start";

    private volatile @Nullable List<RdpNetwork> known;

    /** Those that properties name. */
    RdpNetworks() {}

    RdpNetworks(final List<RdpNetwork> given) {
        known = List.copyOf(given);
    }

    long openNs() {
        return TimeUnit.MILLISECONDS.toNanos(Long.getLong(OPEN_WAIT, DEFAULT_OPEN_WAIT_MS));
    }

    List<RdpNetwork> all() throws SocketException {
        final List<RdpNetwork> now = known;
        return now == null ? opened() : now;
    }

    /** The network whose own address that is, or null. */
    @Nullable RdpNetwork ofOwn(final InetAddress address) throws SocketException {
        for (final RdpNetwork network : all()) {
            if (network.isOwn(address)) {
                return network;
            }
        }
        return null;
    }

    /** The network that datagrams for that address go by, or null. */
    @Nullable RdpNetwork reaching(final InetAddress address) throws SocketException {
        if (!address.isMulticastAddress()) {
            for (final RdpNetwork network : all()) {
                if (network.reaches(address)) {
                    return network;
                }
            }
        }
        return null;
    }

    private synchronized List<RdpNetwork> opened() throws SocketException {
        final List<RdpNetwork> before = known;
        if (before != null) {
            return before;
        }
        final List<RdpNetwork> opened = new ArrayList<>();
        final ArrayDeque<Runnable> undo = new ArrayDeque<>();
        final String text = System.getProperty(DEVICES, DEFAULT_DEVICE);
        boolean isDone = false;
        try {
            final boolean isShared = isShared();
            final RdpConfig config = RdpConfigParser.parse(options());
            for (final String word : text.split(",")) {
                opened.add(isShared ? attach(word.strip(), undo) : open(word.strip(), config, undo));
            }
            known = List.copyOf(opened);
            isDone = true;
            return opened;
        } catch (final VerbsException | IllegalArgumentException e) {
            throw named("-D" + DEVICES + "=" + text + ": " + e.getMessage(), e);
        } finally {
            if (!isDone) {
                undo.forEach(Runnable::run); // a device that stayed open could not be opened by the next try
            }
        }
    }

    private static boolean isShared() {
        final String kind = System.getProperty(DRIVER, EMBEDDED);
        if (kind.equals(EMBEDDED)) {
            return false;
        }
        if (!kind.equals(SHARED) && !kind.equals(START)) {
            throw new IllegalArgumentException(
                    "-D" + DRIVER + "=" + kind + ": it may be " + EMBEDDED + ", " + SHARED + " or " + START);
        }
        if (!options().isEmpty()) {
            throw new IllegalArgumentException("-D" + OPTIONS + " is for drivers of one's own; `vhca rdp config"
                    + " NAME=VALUE` changes a shared one");
        }
        return true;
    }

    private static String device(final String word) {
        final int slash = word.indexOf('/');
        return slash < 0 ? word : word.substring(0, slash);
    }

    private static RdpNetwork network(final RdpSockets driver, final String word) {
        final int slash = word.indexOf('/');
        return slash < 0 ? new RdpNetwork(driver) : new RdpNetwork(driver, bits(word.substring(slash + 1)));
    }

    private static RdpNetwork attach(final String word, final ArrayDeque<Runnable> undo) {
        final SharedDriver driver = START.equals(System.getProperty(DRIVER))
                ? SharedDriver.attachOrStart(device(word))
                : SharedDriver.attach(device(word));
        undo.push(driver::close);
        return network(driver, word);
    }

    private static RdpNetwork open(final String word, final RdpConfig config, final ArrayDeque<Runnable> undo) {
        final Context context = Devices.open(device(word));
        undo.push(context::close);
        final RdpDriver driver = RdpDriver.open(context, config);
        undo.push(driver::close);
        return network(driver, word);
    }

    private static int bits(final String text) {
        try {
            return Integer.parseInt(text);
        } catch (final NumberFormatException e) {
            throw new IllegalArgumentException("a prefix of " + text + " bits: it may be a whole number", e);
        }
    }

    private static Map<String, String> options() {
        final Map<String, String> options = new LinkedHashMap<>();
        for (final String word : System.getProperty(OPTIONS, "").split("[;\\s]+")) {
            final int at = word.indexOf('=');
            if (at > 0) {
                options.put(word.substring(0, at), word.substring(at + 1));
            } else if (!word.isEmpty()) {
                throw new IllegalArgumentException("-D" + OPTIONS + ": " + word + " is not NAME=VALUE");
            }
        }
        return options;
    }

    /** An exception that programs of sockets expect. */
    static SocketException named(final VerbsException e) {
        final String text = String.valueOf(e.getMessage());
        if (e.errno() == Errno.EADDRINUSE) {
            final BindException bind = new BindException(text);
            bind.initCause(e);
            return bind;
        }
        return named(text, e);
    }

    private static SocketException named(final String text, final Exception cause) {
        final SocketException e = new SocketException(text);
        e.initCause(cause);
        return e;
    }
}
