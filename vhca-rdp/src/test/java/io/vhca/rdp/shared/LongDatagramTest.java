package io.vhca.rdp.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.engine.SendResult;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Datagrams that are longer than MaxMessageSize was when a client of a shared driver attached. */
@Timeout(60)
class LongDatagramTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);
    private static final int LONGER = 400_000;
    private static final int TOO_LONG = 700_000;

    private final ByteBuffer target = ByteBuffer.allocate(1 << 20);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private SharedDrivers all;
    private RdpSocket from;
    private RdpSocket to;

    @BeforeEach
    void open() {
        all = new SharedDrivers(directory);
        from = all.drivers().open(33, RdpConfig.DEFAULT.with("MaxMessageSize=1048576")).bind(0);
        final RdpDriver right = all.open(34);
        all.serve(right);
        to = all.attach(right).bind(4000);
    }

    @AfterEach
    void close() {
        all.close();
    }

    private void send(final int lengthBytes) {
        final ByteBuffer datagram = ByteBuffer.allocate(lengthBytes).putInt(lengthBytes - Integer.BYTES, lengthBytes);
        assertThat(from.send(datagram.clear(), to.localAddress(), LONG_NS)).isEqualTo(SendResult.SENT);
    }

    private void receives(final int lengthBytes) {
        assertThat(to.receive(target.clear(), LONG_NS)).isEqualTo(from.localAddress());
        assertThat(target.position()).isEqualTo(lengthBytes);
        assertThat(to.lastLength()).isEqualTo(lengthBytes);
        assertThat(target.getInt(lengthBytes - Integer.BYTES)).isEqualTo(lengthBytes);
    }

    @Test
    void oneThatTheRingHasRoomForComesWhole() {
        send(LONGER);
        receives(LONGER);
    }

    @Test
    void oneThatTheRingHasNoRoomForIsNamed() {
        send(TOO_LONG);
        send(100);
        send(600);
        assertThatThrownBy(() -> to.receive(target.clear(), LONG_NS))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EMSGSIZE))
                .hasMessageContaining("a datagram of " + TOO_LONG + " bytes from " + from.localAddress() + " is lost");
        assertThat(target.position()).isZero();
        receives(100);
        receives(600);
    }

    /** As with UDP, what the caller has no room for is his to lose. */
    @Test
    void oneThatTheCallerHasNoRoomForIsCut() {
        send(TOO_LONG);
        assertThat(to.receive(target.clear().limit(1_000), LONG_NS)).isEqualTo(from.localAddress());
        assertThat(target.position()).isEqualTo(1_000);
        assertThat(to.lastLength()).isEqualTo(TOO_LONG);
    }
}
