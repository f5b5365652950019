package io.vhca.harness.drill.child;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Context;
import io.vhca.harness.cli.OwnAddress;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the drill's datagram sockets count as right, and what they do not. */
@Timeout(300)
class RdpSenderTest {
    private static final int PORT = 7_100;
    private static final int SLOW_PORT = PORT + RdpSender.SOCKETS;

    private final Context here = soft("rdp-a", 17);
    private final Context there = soft("rdp-b", 18);
    private final RdpDriver near = RdpDriver.open(here);
    private final RdpDriver far = RdpDriver.open(there);

    private static Context soft(final String name, final int last) {
        return SoftDevice.overUdp(new SoftConfig(name, OwnAddress.of(last), 4096)).open();
    }

    @AfterEach
    void close() {
        near.close();
        far.close();
        here.close();
        there.close();
    }

    @Test
    void allComeBackAndTheSlowOneStallsItsSenderAlone() {
        final RdpEchoes echoes = new RdpEchoes(far, PORT, SLOW_PORT);
        final RdpSender sender = new RdpSender(near, far.address(), PORT, SLOW_PORT);
        while (sender.wrong().isEmpty() && (sender.datagrams() < 2_000 || sender.waits() == 0)) {
            sender.doWork(false);
            echoes.doWork();
        }
        while (!sender.isComplete()) {
            sender.doWork(true);
            echoes.doWork();
        }
        assertThat(sender.wrong()).isEmpty();
        assertThat(sender.datagrams()).isGreaterThanOrEqualTo(2_000);
        assertThat(sender.waits()).isPositive();
    }

    @Test
    void whatComesBackTwiceIsWrong() {
        final List<RdpSocket> sockets = new ArrayList<>();
        for (int i = 0; i < RdpSender.SOCKETS; i++) {
            sockets.add(far.bind(PORT + i));
        }
        final RdpSender sender = new RdpSender(near, far.address(), PORT, 0);
        final ByteBuffer buffer = RdpDatagram.buffer();
        while (sender.wrong().isEmpty()) {
            sender.doWork(false);
            for (final RdpSocket socket : sockets) {
                buffer.clear();
                final InetSocketAddress from = socket.receive(buffer);
                if (from != null) {
                    buffer.flip();
                    socket.send(buffer.duplicate(), from);
                    socket.send(buffer, from);
                }
            }
        }
        assertThat(sender.wrong()).contains("is not the next one");
        assertThat(sender.isComplete()).isTrue();
    }

    @Test
    void aPortThatNobodyHasIsWrong() {
        final RdpSender sender = new RdpSender(near, far.address(), PORT, 0);
        while (sender.wrong().isEmpty()) {
            sender.doWork(false);
        }
        assertThat(sender.wrong()).contains("UNREACHABLE");
    }
}
