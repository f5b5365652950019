package io.vhca.harness.nio;

import io.vhca.api.Devices;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSockets;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.nio.RdpSelectorProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process whose selector provider is that of reliable datagrams. A program that knows only UDP echoes from bond to
 * bond while its links go down and come back; then over UDP between addresses that no bond has.
 *
 * <p>Arguments: the program, the address of its server and of its client, and of two plain ones. Prints one line.
 */
final class EchoThroughCuts {
    private static final int COUNT = 3_300;
    private static final int CUTS = 10;
    private static final int DATAGRAMS_A_CUT = COUNT / (CUTS + 1);
    private static final int PLAIN = 500;
    private static final Map<String, EchoProgram> PROGRAMS = Map.of("netty", new NettyEcho(), "mina", new MinaEcho());

    private EchoThroughCuts() {}

    public static void main(final String[] args) throws Exception {
        final EchoProgram program = Objects.requireNonNull(PROGRAMS.get(args[0]), args[0]);
        final AtomicInteger inOrder = new AtomicInteger();
        final AtomicInteger all = new AtomicInteger();
        final AtomicInteger cuts = new AtomicInteger();
        program.run(at(args[1], 4_000), at(args[2], 0), COUNT, number -> {
            inOrder.compareAndSet(number, number + 1);
            if (all.getAndIncrement() % DATAGRAMS_A_CUT == 1 && cuts.get() < CUTS) {
                cut(cuts.getAndIncrement());
            }
        });
        restore();
        final long reliable = datagrams();
        final AtomicInteger plain = new AtomicInteger();
        program.run(at(args[3], 4_000), at(args[4], 0), PLAIN, number -> plain.incrementAndGet());
        System.out.println(inOrder + " in order of " + all + ", " + cuts + " cuts, " + (reliable == 2L * COUNT) + ", "
                + plain + " over UDP, " + (datagrams() - reliable) + " of them reliable");
        System.exit(0);
    }

    private static InetSocketAddress at(final String address, final int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), port);
    }

    private static long datagrams() throws Exception {
        long sent = 0;
        for (final RdpSockets driver : ((RdpSelectorProvider) SelectorProvider.provider()).drivers()) {
            sent += ((RdpDriver) driver).counters().get(Counter.TX_PACKETS);
        }
        return sent;
    }

    /** The next link goes down; the one before is up again. */
    private static void cut(final int number) {
        port("soft" + (number + 1) % 2, true);
        port("soft" + number % 2, false);
    }

    private static void restore() {
        port("soft0", true);
        port("soft1", true);
    }

    private static void port(final String device, final boolean isUp) {
        ((SoftDevice) Devices.byName(device)).setPortUp(isUp);
    }
}
