package io.vhca.rdp.common;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Makes a configuration of options given by name; all that is wrong is said at once. One use. */
public final class RdpConfigParser {
    private static final int BEATS_OF_RECOVERY = 2;

    private final RdpConfig base;
    private final Map<String, String> given;
    private final List<String> wrong = new ArrayList<>();

    private RdpConfigParser(final RdpConfig base, final Map<String, String> given) {
        this.base = base;
        this.given = new HashMap<>(given);
    }

    /**
     * The default with these options.
     *
     * @param options names of {@link RdpOption} and their values
     * @throws IllegalArgumentException one line a wrong option: its name, what is wrong, what it may be
     */
    public static RdpConfig parse(final Map<String, String> options) {
        return new RdpConfigParser(RdpConfig.DEFAULT, options).parse(true);
    }

    /**
     * The options of an open driver with one of them changed.
     *
     * @param assignment NAME=VALUE
     * @throws IllegalArgumentException says what is wrong, or why that option does not change
     */
    public static RdpConfig change(final RdpConfig now, final String assignment) {
        final int at = assignment.indexOf('=');
        if (at < 1) {
            throw new IllegalArgumentException(assignment + " is not NAME=VALUE");
        }
        final String name = assignment.substring(0, at);
        for (final RdpOption option : RdpOption.values()) {
            if (option.label().equals(name) && !option.isLive()) {
                throw new IllegalArgumentException("option " + name + " does not change while a driver is open: "
                        + option.fixedBecause());
            }
        }
        return new RdpConfigParser(now, Map.of(name, assignment.substring(at + 1))).parse(false);
    }

    /** @param isNew MIN_RECOVERY follows from the heartbeat where it is not given */
    private RdpConfig parse(final boolean isNew) {
        for (final String name : given.keySet()) {
            if (Arrays.stream(RdpOption.values()).noneMatch(option -> option.label().equals(name))) {
                final String why = AbsentOption.why(name);
                wrong.add(why != null
                        ? why
                        : "unknown option " + name + "; there are "
                                + String.join(
                                        ", ", Arrays.stream(RdpOption.values()).map(RdpOption::label).toList()));
            }
        }
        final long heartbeatNs = ns(RdpOption.HEARTBEAT);
        final long minRecoveryNs = !isNew || given.containsKey(RdpOption.MIN_RECOVERY.label())
                ? ns(RdpOption.MIN_RECOVERY)
                : BEATS_OF_RECOVERY * heartbeatNs;
        final List<Integer> sizes = sizes();
        final int[] counts = {
            count(RdpOption.MAX_DATA_RECV_BUFFERS), count(RdpOption.MAX_CTRL_RECV_BUFFERS),
            count(RdpOption.MAX_DATA_SEND_BUFFERS), count(RdpOption.USER_BUFFER_SIZE),
            count(RdpOption.MAX_MESSAGE_SIZE), count(RdpOption.PENDING_RX_PKTS_HWM),
            count(RdpOption.DATA_RECV_BUFFER_LWM), count(RdpOption.PORT), count(RdpOption.MAX_NODES),
            count(RdpOption.IN_PLACE_SIZE)
        };
        final long memory = number(RdpOption.MAX_RECV_MEMORY, Long.MAX_VALUE);
        final long registered = number(RdpOption.MAX_REGISTERED_MEMORY, Long.MAX_VALUE);
        final long nodeTimeoutNs = ns(RdpOption.NODE_TIMEOUT);
        final long connectNs = ns(RdpOption.CONNECT_TIMEOUT);
        if (!wrong.isEmpty()) {
            throw new IllegalArgumentException(String.join(System.lineSeparator(), wrong));
        }
        return new RdpConfig(
                sizes, counts[0], counts[1], counts[2], counts[3], counts[4], counts[5], counts[6], memory,
                heartbeatNs, nodeTimeoutNs, minRecoveryNs, connectNs, counts[7], counts[8], counts[9], registered);
    }

    private String text(final RdpOption option) {
        return given.getOrDefault(option.label(), option.of(base));
    }

    private List<Integer> sizes() {
        final List<Integer> sizes = new ArrayList<>();
        for (final String part : text(RdpOption.SIZE_CLASSES).split(",")) {
            sizes.add((int) number(RdpOption.SIZE_CLASSES, part.strip(), Integer.MAX_VALUE));
        }
        return sizes;
    }

    private int count(final RdpOption option) {
        return (int) number(option, Integer.MAX_VALUE);
    }

    private long ns(final RdpOption option) {
        return TimeUnit.MILLISECONDS.toNanos(number(option, Integer.MAX_VALUE));
    }

    private long number(final RdpOption option, final long most) {
        return number(option, text(option), most);
    }

    private long number(final RdpOption option, final String text, final long most) {
        try {
            final long value = Long.parseLong(text);
            if (value >= 0 && value <= most) {
                return value;
            }
        } catch (final NumberFormatException e) {
            // Said below, as any other value that it may not have.
        }
        wrong.add("option " + option.label() + " = " + text + ": it may be a whole number from 0 to " + most);
        return 1;
    }
}
