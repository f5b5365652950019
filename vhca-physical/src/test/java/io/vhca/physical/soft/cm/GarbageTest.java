package io.vhca.physical.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.ServiceClass;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.soft.cm.message.CmMessage;
import io.vhca.physical.soft.cm.message.CmMessages;
import io.vhca.physical.soft.cm.message.CmRoute;
import io.vhca.physical.soft.cm.message.CommIds;
import io.vhca.physical.soft.cm.message.ConnInput;
import io.vhca.physical.soft.cm.message.MadDescriptor;
import io.vhca.physical.soft.cm.message.QpEnd;
import io.vhca.physical.soft.cm.message.RejDescriptor;
import io.vhca.physical.soft.cm.message.RejectReason;
import io.vhca.physical.soft.cm.message.ReqDescriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Whatever arrives at QP1, the manager neither fails nor answers in a loop, and counts what made no sense. */
class GarbageTest {
    private static final long SEED = 20_261_121L;
    private static final int ROUNDS = 20_000;
    private static final Gid PEER = Gid.of(InetAddress.ofLiteral("10.0.0.2"));

    /** A device that keeps what is sent. */
    private static final class Recorder extends HandDrivenHost {
        final List<byte[]> sent = new ArrayList<>();
        Runnable onSend = () -> {};

        @Override
        public void sendMad(final Gid destination, final byte[] mad) {
            assertThat(mad).hasSize(256);
            onSend.run();
            sent.add(mad);
        }
    }

    private static byte[] validRequest(final Recorder host) {
        return CmMessages.req(
                new CommIds(77, 0, 0),
                new CmRoute(host.address(), host.nodeGuid(), 50_000, host.address(), 7471),
                new QpEnd(5, 0),
                Mtu.MTU_1024,
                14,
                ServiceClass.NONE,
                ConnectParameters.of(new byte[] {1}));
    }

    private static void deliver(final CommunicationManager manager, final Recorder host, final byte[] mad) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(256);
            MemorySegment.copy(mad, 0, memory, ValueLayout.JAVA_BYTE, 0, mad.length);
            manager.onMad(PEER.subnetPrefix(), PEER.interfaceId(), 1, memory.address());
        }
        manager.doWork(host.nowNs);
    }

    @Test
    void survivesNoiseAndBentRequests() {
        final SplittableRandom random = new SplittableRandom(SEED);
        final Recorder host = new Recorder();
        final CommunicationManager manager = new CommunicationManager(host, CmConfig.DEFAULT, random.split());
        for (int i = 0; i < ROUNDS; i++) {
            final byte[] mad = validRequest(host);
            if (i % 4 == 0) {
                random.nextBytes(mad);
            } else {
                for (int bent = random.nextInt(1, 6); bent > 0; bent--) {
                    mad[random.nextInt(mad.length)] = (byte) random.nextInt();
                }
                mad[MadDescriptor.ATTRIBUTE_OFFSET + 1] = (byte) random.nextInt(0x0f, 0x1b);
            }
            final int before = host.sent.size();
            deliver(manager, host, mad);
            assertThat(host.sent.size() - before).as("round %d of seed %d", i, SEED).isLessThanOrEqualTo(1);
            host.nowNs += 1_000_000;
        }
        assertThat(manager.counters().get(CmCounter.MALFORMED)).isGreaterThan(ROUNDS / 4);
        assertThat(manager.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aRequestOfAnotherVersionIsRefusedAndCounted() {
        final Recorder host = new Recorder();
        final CommunicationManager manager =
                new CommunicationManager(host, CmConfig.DEFAULT, new SplittableRandom(SEED));
        final byte[] future = validRequest(host);
        future[ReqDescriptor.PRIVATE_DATA_OFFSET] = 0x10;
        deliver(manager, host, future);
        assertThat(manager.counters().get(CmCounter.MALFORMED)).isEqualTo(1);
        assertThat(host.sent).hasSize(1);
        final CmMessage answer = Objects.requireNonNull(CmMessage.read(host.sent.getFirst()));
        assertThat(answer.type()).isEqualTo(ConnInput.REJ);
        assertThat(answer.reason()).isEqualTo(RejectReason.UNSUPPORTED_REQUEST);
        assertThat(answer.remoteCommId()).isEqualTo(77);
    }

    @Test
    void aRejectionIsNeverAnswered() {
        final Recorder host = new Recorder();
        final CommunicationManager manager =
                new CommunicationManager(host, CmConfig.DEFAULT, new SplittableRandom(SEED));
        deliver(manager, host, CmMessages.rej(new CommIds(1, 2, 3), RejDescriptor.MESSAGE_REQ, 8, new byte[0]));
        assertThat(host.sent).isEmpty();
    }

    @Test
    void aMessageThatTheManagerFailsAtIsDroppedAndCounted() {
        final Recorder host = new Recorder();
        final CommunicationManager manager =
                new CommunicationManager(host, CmConfig.DEFAULT, new SplittableRandom(SEED));
        host.onSend = () -> {
            throw new AssertionError("planted");
        };
        final Logger log = Logger.getLogger(CmCounters.class.getName());
        log.setUseParentHandlers(false);
        deliver(manager, host, validRequest(host));
        log.setUseParentHandlers(true);
        assertThat(manager.counters().get(CmCounter.FAULTS)).isEqualTo(1);
        assertThat(manager.hasWork()).isFalse();
        host.onSend = () -> {};
        deliver(manager, host, validRequest(host));
        assertThat(host.sent).hasSize(1);
    }
}
