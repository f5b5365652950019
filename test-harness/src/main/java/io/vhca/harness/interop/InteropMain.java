package io.vhca.harness.interop;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.examples.RcPingPong;
import io.vhca.examples.Rping;
import io.vhca.examples.UdPingPong;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/**
 * Plays C programs through: {@code HOST PART...}, the address of the host where the C programs run, and what is to be
 * played, in this order.
 *
 * <p>Says on standard output {@code wire KIND} before a part, {@code meet NAME} once it is ready for it, each time
 * waiting for a line on standard input, and {@code part NAME passed} or {@code part NAME WHY} in the end. Parts are
 * named as {@link InteropPart#name} says. One thread.
 */
public final class InteropMain {
    private final String host;
    private final BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private InteropMain(final String host) {
        this.host = host;
    }

    /** @param args the host of the C programs, and the parts */
    public static void main(final String[] args) {
        new InteropMain(args[0]).run(Arrays.stream(args).skip(1).map(InteropPart::of).toList());
    }

    private void run(final List<InteropPart> parts) {
        for (final InteropPart part : parts) {
            say("part " + part.name() + " " + new Play(part).play(part.program(), part.isServer()));
        }
    }

    private static void say(final String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** One program in one direction. */
    private final class Play {
        private final String name;
        private final String device;
        private boolean hasMet;

        Play(final InteropPart part) {
            name = part.name();
            device = part.device();
        }

        /** Both sides are ready: a server listens, a client may go. */
        private void meet() {
            if (hasMet) {
                return;
            }
            hasMet = true;
            ask("meet " + name);
        }

        private void ask(final String request) {
            say(request);
            try {
                if (in.readLine() == null) {
                    throw new IllegalStateException("nobody is there any more");
                }
            } catch (final IOException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Passed, or why not. */
        String play(final CProgram program, final boolean isServer) {
            try {
                ask("wire " + program.wire().name());
                return switch (program) {
                    case RPING -> example(new Rping(), program, isServer, "-C", "10", "-S", option(program, "-S"));
                    case RC_PINGPONG, RC_PINGPONG_4096, RC_PINGPONG_LOSS -> example(
                            new RcPingPong(), program, isServer, "-n", option(program, "-n"), "-s",
                            option(program, "-s"), "-m", option(program, "-m"));
                    case UDADDY -> udaddy(program, isServer);
                    case UD_PINGPONG -> example(
                            new UdPingPong(), program, isServer, "-n", option(program, "-n"), "-s",
                            option(program, "-s"));
                    default -> perftest(program, isServer);
                };
            } catch (final IOException | RuntimeException e) {
                return String.valueOf(e).replace('\n', ' ');
            } finally {
                // The other side comes here in any case.
                meet();
            }
        }

        private static String option(final CProgram program, final String option) {
            return String.valueOf(program.value(option));
        }

        private String example(
                final Object example, final CProgram program, final boolean isServer, final String... options) {
            final List<String> words = new ArrayList<>(List.of(options));
            words.addAll(List.of("-d", device, "-p", String.valueOf(program.port())));
            words.add(isServer ? host : "--server");
            if (isServer) {
                meet();
            }
            final StringWriter err = new StringWriter();
            final int code = new CommandLine(example)
                    .setOut(new PrintWriter(new LineListener("listening", this::meet), true))
                    .setErr(new PrintWriter(err, true))
                    .setExecutionExceptionHandler((failure, command, parsed) -> {
                        err.append(String.valueOf(failure));
                        return 1;
                    })
                    .execute(words.toArray(new String[0]));
            return code == 0 ? "passed" : err.toString().strip().replace('\n', ' ');
        }

        private String udaddy(final CProgram program, final boolean isServer) throws IOException {
            try (Context context = Devices.open(device);
                    UdaddyPeer peer = new UdaddyPeer(context, program.value("-C"))) {
                if (isServer) {
                    meet();
                    peer.client(new InetSocketAddress(host, program.port()));
                } else {
                    peer.server(program.port(), this::meet);
                }
            }
            return "passed";
        }

        private String perftest(final CProgram program, final boolean isServer) throws IOException {
            final PerftestPeer peer = new PerftestPeer(program);
            try (Context context = Devices.open(device)) {
                if (isServer) {
                    meet();
                    final InetSocketAddress server = new InetSocketAddress(host, program.port());
                    peer.run(context, PerftestTalk.connect(server, program), true);
                } else {
                    try (ServerSocket listener = new ServerSocket(program.port())) {
                        meet();
                        peer.run(context, PerftestTalk.accept(listener, program), false);
                    }
                }
            }
            return "passed";
        }
    }
}
