package io.vhca.bond.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Context;
import io.vhca.api.Gid;
import io.vhca.api.SgeDescriptor;
import io.vhca.bond.FakeProvider;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.member.Member;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DatagramSourcesTest {
    private static final long BOND = 7;
    private static final ValueLayout.OfLong BIG_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt BIG_INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(64, 8);
    private final long sge = arena.allocate(SgeDescriptor.SIZE, 8).address();
    private final BondCounters counters = new BondCounters();
    private int room = Integer.MAX_VALUE;
    private final DatagramSources sources = new DatagramSources(counters, () -> room-- > 0);
    private final Member member = member();

    @AfterEach
    void close() {
        arena.close();
    }

    private static Member member() {
        return new Member(0, 0, (Context) Proxy.newProxyInstance(
                Context.class.getClassLoader(), new Class<?>[] {Context.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "device" -> new FakeProvider().devices().getFirst();
                    case "queryGid" -> new Gid(0, 0xffff_0a00_0001L);
                    case "ipGidIndex" -> 0;
                    default -> null;
                }));
    }

    private static InetAddress v4(final int i) {
        return InetAddress.ofLiteral("10.1." + (i >> 8) + "." + (i & 0xFF));
    }

    /** What a receive from there shows. */
    private int from(final InetAddress address, final int number, final int lengthBytes) {
        final Gid gid = Gid.of(address);
        buffer.fill((byte) 0);
        if (gid.isIpv4()) {
            buffer.set(BIG_INT, 20, 0x4500_0000);
            buffer.set(BIG_INT, 32, (int) gid.interfaceId());
        } else {
            buffer.set(BIG_INT, 0, 0x6000_0000);
            buffer.set(BIG_LONG, 8, gid.subnetPrefix());
            buffer.set(BIG_LONG, 16, gid.interfaceId());
        }
        SgeDescriptor.write(sge, buffer.address(), lengthBytes, 0);
        return sources.translate(sge, number);
    }

    @Test
    void aSenderIsKnownByItsAddressAndNumberTogether() {
        final InetAddress six = InetAddress.ofLiteral("fd00::4500:1:2:3");
        sources.heard(v4(1), 17, 0x101, BOND, member);
        sources.heard(v4(2), 17, 0x102, BOND, member);
        sources.heard(six, 17, 0x103, BOND, member);
        assertThat(from(v4(1), 17, 64)).isEqualTo(0x101);
        assertThat(from(v4(2), 17, 40)).isEqualTo(0x102);
        assertThat(from(six, 17, 64)).isEqualTo(0x103);
        assertThat(from(v4(1), 18, 64)).as("nobody said so").isEqualTo(18);
        assertThat(from(v4(3), 17, 64)).as("another device").isEqualTo(17);
        assertThat(from(v4(1), 17, 39)).as("the header is not in one piece").isEqualTo(17);
        assertThat(sources.translate(0, 17)).isEqualTo(17);
    }

    /** What it sent before it moved may be polled after that was heard. */
    @Test
    void whoMovedIsFoundAtItsNewPlaceAndAtTheOldOneUntilAnotherIsThere() {
        sources.heard(v4(1), 17, 0x101, BOND, member);
        sources.heard(v4(2), 30, 0x101, BOND, member);
        assertThat(from(v4(2), 30, 64)).isEqualTo(0x101);
        assertThat(from(v4(1), 17, 64)).isEqualTo(0x101);
        assertThat(sources.latest()).singleElement().matches(one -> one.number() == 30);
        sources.heard(v4(1), 17, 0x101, BOND, member);
        assertThat(sources.latest()).singleElement().matches(one -> one.number() == 17);
        // The number is given again by the device, to another.
        sources.heard(v4(2), 30, 0x202, BOND + 1, member);
        assertThat(from(v4(2), 30, 64)).isEqualTo(0x202);
        assertThat(from(v4(1), 17, 64)).isEqualTo(0x101);
        assertThat(sources.latest()).hasSize(2);
    }

    @Test
    void whoMovesOftenPushesNobodyElseOut() {
        sources.heard(v4(1), 17, 0x101, BOND, member);
        for (int i = 0; i < DatagramSources.MOST; i++) {
            sources.heard(v4(2), 30 + i, 0x202, BOND, member);
        }
        assertThat(from(v4(1), 17, 64)).isEqualTo(0x101);
        assertThat(from(v4(2), 29 + DatagramSources.MOST, 64)).isEqualTo(0x202);
        assertThat(from(v4(2), 30, 64)).as("long ago").isEqualTo(30);
    }

    @Test
    void ofTooManyTheOldestAreForgotten() {
        final int tooMany = 10;
        for (int i = 0; i < DatagramSources.MOST + tooMany; i++) {
            sources.heard(v4(i), i, 0x4000 + i, BOND, member);
        }
        for (int i = 0; i < DatagramSources.MOST + tooMany; i++) {
            assertThat(from(v4(i), i, 64)).isEqualTo(i < tooMany ? i : 0x4000 + i);
        }
    }

    private void speak(final int from, final int to) {
        for (int i = from; i < to; i++) {
            sources.heard(v4(i), i, 0x4000 + i, BOND, member);
        }
    }

    private boolean isKnown(final int i) {
        return from(v4(i), i, 64) == 0x4000 + i;
    }

    @Test
    void whoSpeaksAgainIsNotTheOldest() {
        speak(0, DatagramSources.MOST);
        speak(0, 1);
        speak(DatagramSources.MOST, DatagramSources.MOST + 1);
        assertThat(isKnown(0)).isTrue();
        assertThat(isKnown(1)).isFalse();
        assertThat(isKnown(DatagramSources.MOST)).isTrue();
        assertThat(counters.get(Counter.SENDERS_FORGOTTEN)).isEqualTo(1);
    }

    /** Of many that move, where they were is forgotten first. */
    @Test
    void placesThatSendersHaveLeftPushNobodyOut() {
        speak(0, DatagramSources.MOST);
        for (int i = 0; i <= DatagramSources.MOST_PAST; i++) {
            sources.heard(v4(i), DatagramSources.MOST + i, 0x4000 + i, BOND, member);
        }
        assertThat(counters.get(Counter.SENDERS_FORGOTTEN)).isZero();
        assertThat(isKnown(DatagramSources.MOST - 1)).isTrue();
        assertThat(from(v4(0), DatagramSources.MOST, 64)).isEqualTo(0x4000);
        assertThat(isKnown(0)).as("the first that was left").isFalse();
        assertThat(isKnown(1)).isTrue();
        assertThat(sources.latest()).hasSize(DatagramSources.MOST);
    }

    @Test
    void whoseBondHasNoRoomKnowsAsManyAsEachMay() {
        room = 1;
        speak(0, DatagramSources.MOST_ALWAYS + 3);
        assertThat(isKnown(1)).isFalse();
        assertThat(isKnown(2)).isTrue();
        assertThat(sources.latest()).hasSize(DatagramSources.MOST_ALWAYS + 1);
        assertThat(sources.close()).isEqualTo(1);
    }

    /** Those that are forgotten leave no gap behind which others are not found, however many come and go. */
    @Test
    void whoeverIsKnownIsFoundWhileOthersComeAndGo() {
        room = 0;
        final int all = 20 * DatagramSources.MOST_ALWAYS;
        for (int i = 0; i < all; i++) {
            speak(i, i + 1);
            assertThat(isKnown(i)).isTrue();
            assertThat(isKnown(Math.max(0, i - DatagramSources.MOST_ALWAYS + 1))).isTrue();
        }
        for (int i = 0; i < all; i++) {
            assertThat(isKnown(i)).isEqualTo(i >= all - DatagramSources.MOST_ALWAYS);
        }
    }

    @Test
    void whoSpokeLastFromOneOfTheAddressesIsMostLikelyThere() {
        final List<InetAddress> both = List.of(v4(1), v4(2));
        sources.heard(v4(2), 18, 0x101, BOND, member);
        sources.heard(v4(1), 17, 0x101, BOND + 1, member);
        assertThat(sources.whereabouts(0x101, both, member)).isEqualTo(new DatagramRoutes.Heard(v4(1), 17, member));
        sources.heard(v4(2), 18, 0x101, BOND, member);
        assertThat(sources.whereabouts(0x101, both, member)).isEqualTo(new DatagramRoutes.Heard(v4(2), 18, member));
        assertThat(sources.whereabouts(0x102, both, member)).isNull();
        assertThat(sources.whereabouts(0x101, List.of(v4(3)), member)).isNull();
        assertThat(sources.whereabouts(0x101, both, null)).isNull();
        sources.heard(v4(2), 18, 0x102, BOND, member);
        assertThat(sources.whereabouts(0x101, both, member)).isEqualTo(new DatagramRoutes.Heard(v4(1), 17, member));
    }

    /** Its physical number is another's by now: it is told at where it was before. */
    @Test
    void whosePlaceAnotherTookIsWhereItWasBefore() {
        sources.heard(v4(1), 17, 0x101, BOND, member);
        sources.heard(v4(2), 18, 0x101, BOND, member);
        sources.heard(v4(2), 18, 0x202, BOND + 1, member);
        assertThat(sources.latest()).extracting(DatagramSources.Source::number).containsExactlyInAnyOrder(17, 18);
        sources.heard(v4(1), 17, 0x303, BOND + 2, member);
        assertThat(sources.latest()).extracting(DatagramSources.Source::qpNum).containsExactlyInAnyOrder(0x202, 0x303);
        assertThat(from(v4(1), 17, 64)).isEqualTo(0x303);
    }
}
