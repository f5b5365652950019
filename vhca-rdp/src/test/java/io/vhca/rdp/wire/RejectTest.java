package io.vhca.rdp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Arrays;
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
}
