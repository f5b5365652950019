package io.vhca.tool.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.engine.SendResult;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An answer counts for the datagram that it answers, and for no other one. */
class PingTest {
    private static final InetSocketAddress PEER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4000);
    private static final InetSocketAddress OTHER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4001);
    private static final long NOTHING = -1;
    /** Less than a number. */
    private static final long SHORT = -2;
    /** With a number, this and more: from somebody else. */
    private static final long FOREIGN = 1_000;
    /** How long an answer takes where it takes long: as long as a bond looks for a path. */
    private static final long SLOW_NS = TimeUnit.SECONDS.toNanos(30);

    private final StringWriter text = new StringWriter();

    /** Takes every send; receives the answers with those numbers, or nothing in its time. */
    private static RdpSocket socket(final List<Long> answers) {
        final Queue<Long> left = new ArrayDeque<>(answers);
        return (RdpSocket) Proxy.newProxyInstance(
                RdpSocket.class.getClassLoader(), new Class<?>[] {RdpSocket.class}, (proxy, method, arguments) -> {
                    final ByteBuffer datagram = (ByteBuffer) arguments[0];
                    if (method.getName().equals("send")) {
                        return SendResult.SENT;
                    }
                    final long number = left.remove();
                    if (number == SHORT) {
                        datagram.position(Integer.BYTES);
                        return PEER;
                    }
                    final boolean isForeign = number >= FOREIGN;
                    datagram.putLong(0, isForeign ? number - FOREIGN : number).position(datagram.limit());
                    return number == NOTHING ? null : isForeign ? OTHER : PEER;
                });
    }

    private int ping(final int count, final Long... answers) {
        return new Ping(socket(List.of(answers)), PEER, 64, new PrintWriter(text, true)).run(count);
    }

    @Test
    void eachThatComesBackIsCounted() {
        assertThat(ping(2, 0L, 1L)).isEqualTo(2);
        assertThat(text.toString()).contains("64 bytes from ", ": seq 0, ", ": seq 1, ", "2 sent, 2 came back");
    }

    /** Its peer was stopped for some seconds, or its bond looked for another path. */
    @Test
    void oneThatComesBackAfterAFailoverIsCounted() {
        final RdpSocket slow = (RdpSocket) Proxy.newProxyInstance(
                RdpSocket.class.getClassLoader(), new Class<?>[] {RdpSocket.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("send")) {
                        return SendResult.SENT;
                    }
                    final ByteBuffer datagram = (ByteBuffer) arguments[0];
                    datagram.putLong(0, 0).position(datagram.limit());
                    return (long) arguments[1] < SLOW_NS ? null : PEER;
                });
        assertThat(new Ping(slow, PEER, 64, new PrintWriter(text, true)).run(1)).isEqualTo(1);
    }

    /** All that followed were timed by the answer to the one before. */
    @Test
    void anAnswerThatComesLateIsNotThatOfTheNextOne() {
        assertThat(ping(3, NOTHING, 0L, 1L, 2L)).isEqualTo(2);
        assertThat(text.toString())
                .contains("seq 0: no answer", ": seq 1, ", ": seq 2, ", "3 sent, 2 came back")
                .doesNotContain(": seq 0, ");
    }

    @Test
    void aLateOneIsNoAnswerWhereNoneFollows() {
        assertThat(ping(2, NOTHING, 0L, NOTHING)).isZero();
        assertThat(text.toString()).contains("seq 0: no answer", "seq 1: no answer", "2 sent, 0 came back");
    }

    /** What was sent is still in the room that they do not fill. */
    @Test
    void whatIsShortOrOfSomebodyElseIsNoAnswer() {
        assertThat(ping(2, SHORT, NOTHING, FOREIGN + 1, NOTHING)).isZero();
        assertThat(ping(1, SHORT, FOREIGN, 0L)).isEqualTo(1);
    }
}
