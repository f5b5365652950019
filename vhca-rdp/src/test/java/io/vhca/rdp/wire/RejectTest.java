package io.vhca.rdp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the ends of a connection say of themselves, to drivers that know less and from them. */
class RejectTest {
    private static final InetAddress NAME = InetAddress.ofLiteral("10.0.0.2");
    /** As a driver that knows no names wrote it. */
    private static final int NAMELESS_BYTES = 4;
    /** A device may hand out all that a reject has room for. */
    private static final int PADDED_BYTES = 148;
    /** What a bond with a key leaves. */
    private static final int BRIEF_BYTES = 16;

    @ParameterizedTest
    @EnumSource(Reject.Reason.class)
    void whatIsRefusedSaysWhyAndByWhom(final Reject.Reason reason) {
        final Reject reject = new Reject(reason, NAME);
        assertThat(Reject.decode(reject.encode())).isEqualTo(reject);
        assertThat(Reject.decode(Arrays.copyOf(reject.encode(), PADDED_BYTES))).isEqualTo(reject);
    }

    @ParameterizedTest
    @ValueSource(ints = {NAMELESS_BYTES, NAMELESS_BYTES + 1, 19})
    void aRejectThatEndsBeforeTheNameHasNone(final int bytes) {
        final byte[] encoded = new Reject(Reject.Reason.COLLISION, NAME).encode();
        assertThat(Reject.decode(Arrays.copyOf(encoded, bytes)))
                .isEqualTo(new Reject(Reject.Reason.COLLISION, null));
    }

    @Test
    void zerosAreNoName() {
        final byte[] nameless = Arrays.copyOf(new Reject(Reject.Reason.COLLISION, NAME).encode(), NAMELESS_BYTES);
        final Reject expected = new Reject(Reject.Reason.COLLISION, null);
        assertThat(Reject.decode(Arrays.copyOf(nameless, PADDED_BYTES))).isEqualTo(expected);
        assertThat(Reject.decode(expected.encode())).isEqualTo(expected);
    }

    @Test
    void whatIsForeignIsUnknown() {
        final Reject unknown = new Reject(Reject.Reason.UNKNOWN, null);
        assertThat(Reject.decode(new byte[0])).isEqualTo(unknown);
        assertThat(Reject.decode(new byte[PADDED_BYTES])).isEqualTo(unknown);
        final byte[] newer = new Reject(Reject.Reason.NAMED, NAME).encode();
        newer[HelloDescriptor.REASON_OFFSET] = 99;
        assertThat(Reject.decode(newer).reason()).isEqualTo(Reject.Reason.UNKNOWN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.2", "fe80::1:2"})
    void aHelloSaysWhetherItAsksForTheName(final String address) {
        for (final boolean readsBatches : new boolean[] {false, true}) {
            for (final boolean asksName : new boolean[] {false, true}) {
                final Hello hello = new Hello(
                        1, 3, 8_192, 16, 64, -7, InetAddress.ofLiteral(address), readsBatches, asksName);
                assertThat(Hello.decode(hello.encode())).isEqualTo(hello);
            }
        }
    }

    @Test
    void aBriefHelloSaysTheSameOfANodeOfIpv4() {
        for (final Hello hello : List.of(
                new Hello(0, 1, 256, 2, 4, 0, NAME, false, false),
                new Hello(1, 3, 8_192, 16, 64, -7, NAME, true, false),
                new Hello(16, 17, 1 << 24, 4_096, 4_096, 7, NAME, false, true))) {
            final byte[] brief = Objects.requireNonNull(hello.encodeBriefly());
            assertThat(brief).hasSize(BRIEF_BYTES);
            assertThat(Hello.decode(brief)).isEqualTo(hello);
            assertThat(Hello.decode(Arrays.copyOf(brief, PADDED_BYTES))).isEqualTo(hello);
            assertThat(Hello.decode(Arrays.copyOf(brief, BRIEF_BYTES - 1))).isNull();
        }
        assertThat(new Hello(0, 1, 256, 2, 4, 0, InetAddress.ofLiteral("fe80::1"), true, true).encodeBriefly())
                .isNull();
    }

    /** Every value of its first bytes is a hello that can be said, or none. */
    @Test
    void aBriefHelloOfForeignBytesIsOneOrNone() {
        final SplittableRandom random = new SplittableRandom(6);
        int taken = 0;
        for (int i = 0; i < 10_000; i++) {
            final byte[] foreign = new byte[BRIEF_BYTES];
            random.nextBytes(foreign);
            foreign[0] = 'R';
            foreign[1] = 'd';
            final Hello hello = Hello.decode(foreign);
            if (hello != null) {
                taken++;
                assertThat(Hello.decode(hello.encode())).isEqualTo(hello);
            }
        }
        assertThat(taken).isBetween(1, 9_999);
    }
}
