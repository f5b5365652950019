package io.vhca.harness.interop;

import java.util.ArrayList;
import java.util.List;

/** A C program that this library's devices must understand, and what it is run with. */
public enum CProgram {
    /** Connection manager, SEND, RDMA READ, RDMA WRITE. */
    RPING("rping", 7174, List.of("-C", "10", "-S", "3000"), List.of("-s"), List.of("-c", "-V", "-a")),
    /** Connection manager for datagrams. */
    UDADDY("udaddy", 7174, List.of("-C", "10"), List.of(), List.of("-s")),
    /** RC, messages of several packets. */
    RC_PINGPONG("ibv_rc_pingpong", 18515, List.of("-g", "1", "-n", "100", "-s", "3000", "-m", "1024")),
    /** The same with the longest packets. */
    RC_PINGPONG_4096(
            "ibv_rc_pingpong", 18515, List.of("-g", "1", "-n", "50", "-s", "20000", "-m", "4096"), Wire.LONG_PACKETS),
    /** The same where both ends lose some. */
    RC_PINGPONG_LOSS(
            "ibv_rc_pingpong", 18515, List.of("-g", "1", "-n", "100", "-s", "3000", "-m", "1024"), Wire.LOSS),
    /** UD. */
    UD_PINGPONG("ibv_ud_pingpong", 18515, List.of("-g", "1", "-n", "50", "-s", "1000")),
    /** SENDs in a stream. */
    SEND_BW("ib_send_bw", 18515, perftest("-s", "65536", "-n", "50")),
    /** RDMA WRITEs in a stream. */
    WRITE_BW("ib_write_bw", 18515, perftest("-s", "65536", "-n", "50")),
    /** RDMA READs. */
    READ_LAT("ib_read_lat", 18515, perftest("-s", "3000", "-n", "50")),
    /** Fetch and add. */
    ATOMIC_LAT("ib_atomic_lat", 18515, perftest("-n", "50"));

    /** What the link between both sides is like. */
    public enum Wire { PLAIN, LONG_PACKETS, LOSS }

    private final String program;
    private final int port;
    private final List<String> options;
    private final List<String> asServer;
    private final List<String> asClient;
    private final Wire wire;

    CProgram(final String program, final int port, final List<String> options) {
        this(program, port, options, Wire.PLAIN);
    }

    CProgram(final String program, final int port, final List<String> options, final Wire wire) {
        this(program, port, options, List.of(), List.of(), wire);
    }

    CProgram(
            final String program,
            final int port,
            final List<String> options,
            final List<String> asServer,
            final List<String> asClient) {
        this(program, port, options, asServer, asClient, Wire.PLAIN);
    }

    /** @param asClient what goes right before the server's address */
    CProgram(
            final String program,
            final int port,
            final List<String> options,
            final List<String> asServer,
            final List<String> asClient,
            final Wire wire) {
        this.wire = wire;
        this.program = program;
        this.port = port;
        this.options = options;
        this.asServer = asServer;
        this.asClient = asClient;
    }

    /** A timeout for machines that are slow. */
    private static List<String> perftest(final String... options) {
        final List<String> all = new ArrayList<>(List.of("-F", "-x", "1", "-u", "18"));
        all.addAll(List.of(options));
        return List.copyOf(all);
    }

    /** Its name, and what is special. */
    public String title() {
        return switch (wire) {
            case PLAIN -> program;
            case LONG_PACKETS -> program + ", MTU 4096";
            case LOSS -> program + ", losses";
        };
    }

    /** What the link is to be like. */
    public Wire wire() {
        return wire;
    }

    /** Where its server listens: over TCP, or with the connection manager. */
    public int port() {
        return port;
    }

    /** True where it names no device, for the address says which. */
    private boolean isByAddress() {
        return this == RPING || this == UDADDY;
    }

    /** The command line of its server on a device of the kernel's. */
    public String server(final String device) {
        return String.join(" ", words(device, asServer));
    }

    /** The command line of its client; the shell replaces {@code $1} by the server's address. */
    public String client(final String device) {
        return String.join(" ", words(device, asClient)) + " $1";
    }

    private List<String> words(final String device, final List<String> role) {
        final List<String> words = new ArrayList<>(List.of(program));
        if (!isByAddress()) {
            words.addAll(List.of("-d", device));
        }
        words.addAll(options);
        words.addAll(role);
        return words;
    }

    /** The value behind an option. */
    int value(final String option) {
        final int at = options.indexOf(option);
        return at < 0 ? 0 : Integer.parseInt(options.get(at + 1));
    }
}
