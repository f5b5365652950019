package io.vhca.physical.soft;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One soft device as it is configured.
 *
 * @param name    what applications open
 * @param address an address of this host; the device's GID
 * @param mtu     largest payload of a packet: 256, 512, 1024, 2048 or 4096
 * @param rate    megabits a second that its port sends at most, as they are on Ethernet, 0 for no limit
 * @param pollUs  microseconds for which a thread that waits for completions runs the device itself before it blocks
 * @param capture directory in which a file keeps the last packets of the device, null for none
 */
public record SoftConfig(
        String name, InetAddress address, int mtu, int rate, int pollUs, @Nullable Path capture) {
    /** The system property that configures the provider. */
    public static final String PROPERTY = "vhca.soft";

    /** The environment variable that does where the property is not set. */
    public static final String VARIABLE = "VHCA_SOFT";

    /** What holds where neither is set. */
    public static final String DEFAULT = "soft0=127.0.0.1,soft1=127.0.0.2,soft2=127.0.0.3,soft3=127.0.0.4";

    private static final int LARGEST_MTU = 4096;
    private static final int MOST_RATE = 100_000;
    private static final int MOST_POLL_US = 10_000;
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,31}");

    /** One without a limit of its rate, whose waiting threads block at once. */
    public SoftConfig(final String name, final InetAddress address, final int mtu) {
        this(name, address, mtu, 0, 0, null);
    }

    /**
     * Reads {@code NAME=ADDRESS[;mtu=BYTES][;rate=MEGABITS][;poll_us=MICROSECONDS][;capture=DIRECTORY],...}; an empty
     * text gives no device.
     *
     * @throws VerbsException EINVAL; the message names what is wrong and what is allowed
     */
    public static List<SoftConfig> parse(final String text) {
        final List<SoftConfig> devices = new ArrayList<>();
        final Set<String> names = new HashSet<>();
        final Set<InetAddress> addresses = new HashSet<>();
        for (final String entry : text.split(",", -1)) {
            if (text.isBlank()) {
                break;
            }
            final SoftConfig device = parseDevice(entry.strip());
            if (!names.add(device.name)) {
                throw invalid(device.name, "the name is given twice; every device needs its own");
            }
            if (!addresses.add(device.address)) {
                throw invalid(device.name,
                        "the address " + device.address.getHostAddress() + " has another device already");
            }
            devices.add(device);
        }
        return devices;
    }

    private static SoftConfig parseDevice(final String entry) {
        final int equals = entry.indexOf('=');
        final String name = equals < 0 ? entry : entry.substring(0, equals).strip();
        if (!NAME.matcher(name).matches()) {
            throw invalid(
                    entry.isEmpty() ? "an empty entry" : entry,
                    "write NAME=ADDRESS, the name made of letters, digits, _ and -, as in " + DEFAULT);
        }
        if (equals < 0) {
            throw invalid(name, "the address is missing; write NAME=ADDRESS, as in " + name + "=127.0.0.1");
        }
        final String[] parts = entry.substring(equals + 1).split(";", -1);
        int mtu = LARGEST_MTU;
        int rate = 0;
        int pollUs = 0;
        Path capture = null;
        for (int i = 1; i < parts.length; i++) {
            final String option = parts[i].strip();
            final int sign = option.indexOf('=');
            final String key = sign < 0 ? option : option.substring(0, sign).strip();
            final String value = sign < 0 ? "" : option.substring(sign + 1).strip();
            switch (key) {
                case "mtu" -> mtu = parseMtu(name, value);
                case "rate" -> rate = parse(name, key, value, 1, MOST_RATE, "megabits a second");
                case "poll_us" -> pollUs = parse(name, key, value, 0, MOST_POLL_US, "microseconds");
                case "capture" -> capture = parseDirectory(name, value);
                default -> throw invalid(
                        name, "the option '" + key + "' is not known; there are mtu, rate, poll_us and capture");
            }
        }
        return new SoftConfig(name, parseAddress(name, parts[0].strip()), mtu, rate, pollUs, capture);
    }

    private static int parse(
            final String name, final String key, final String value, final int least, final int most,
            final String unit) {
        try {
            final int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (final NumberFormatException e) {
            // Refused below, like a number out of range.
        }
        throw invalid(
                name,
                key + " '" + value + "' is not possible; allowed are " + least + " to " + most + " " + unit);
    }

    private static Path parseDirectory(final String name, final String value) {
        if (value.isEmpty() || value.indexOf('\0') >= 0) {
            throw invalid(name, "capture needs a directory, as in capture=/tmp/packets");
        }
        return Path.of(value);
    }

    private static InetAddress parseAddress(final String name, final String text) {
        try {
            return InetAddress.ofLiteral(text);
        } catch (final IllegalArgumentException e) {
            throw invalid(name, "'" + text + "' is no IP address; write one in digits, as in " + name + "=127.0.0.1");
        }
    }

    private static int parseMtu(final String name, final String value) {
        return switch (value) {
            case "256", "512", "1024", "2048", "4096" -> Integer.parseInt(value);
            default ->
                    throw invalid(name, "mtu '" + value + "' is not possible; allowed are 256, 512, 1024, 2048, 4096");
        };
    }

    private static VerbsException invalid(final String key, final String detail) {
        return new VerbsException("configure", Errno.EINVAL, PROPERTY + " (" + VARIABLE + "): " + key, detail);
    }

    /** Stable for a name and an address, whatever the process. */
    long nodeGuid() {
        long hash = 0xcbf29ce484222325L;
        for (final byte octet : address.getAddress()) {
            hash = (hash ^ octet & 0xff) * 0x100000001b3L;
        }
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
        }
        // Locally administered, not a group.
        return hash & ~(3L << 56) | 2L << 56;
    }
}
