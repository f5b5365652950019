package io.vhca.bond.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Nothing is taken twice, whatever is forgotten. */
class SeenRequestsTest {
    private final SeenRequests seen = new SeenRequests();

    private long generation() {
        return ByteBuffer.wrap(seen.nonce(7, made -> ByteBuffer.allocate(Long.BYTES).putLong(made).array())).getLong();
    }

    @Test
    void whatWasTakenIsKnownInAnyOrderAndOfItsBondAlone() {
        for (final long count : new long[] {5, 2, 9}) {
            assertThat(seen.contains(1, count)).isFalse();
            seen.add(1, count);
        }
        assertThat(seen.contains(1, 2)).isTrue();
        assertThat(seen.contains(1, 3)).isFalse();
        assertThat(seen.contains(2, 2)).isFalse();
    }

    @Test
    void whatIsGivenBackMayComeAgainUnlessItIsBelowWhatIsRemembered() {
        for (long count = 10; count <= 10 + SeenRequests.MOST_OF_A_BOND; count++) {
            seen.add(1, count);
        }
        seen.remove(1, 10);
        seen.remove(1, 11);
        seen.remove(2, 1);
        assertThat(seen.contains(1, 10)).isTrue();
        assertThat(seen.contains(1, 11)).isFalse();
    }

    @Test
    void belowWhatIsRememberedNothingIsTaken() {
        for (long count = 10; count < 10 + 2 * SeenRequests.MOST_OF_A_BOND; count += 2) {
            seen.add(1, count);
        }
        assertThat(seen.contains(1, 9)).as("nothing is forgotten yet").isFalse();
        seen.add(1, 1_000_000);
        for (long count = 0; count <= 10; count++) {
            assertThat(seen.contains(1, count)).isTrue();
        }
        assertThat(seen.contains(1, 11)).isFalse();
    }

    /** The highest count is not the lowest: who names it shuts out none of those below that are still to come. */
    @Test
    void countsHaveNoSign() {
        seen.add(1, -1);
        for (long count = 1; count <= SeenRequests.MOST_OF_A_BOND; count++) {
            seen.add(1, count);
        }
        assertThat(seen.contains(1, 1)).isTrue();
        assertThat(seen.contains(1, SeenRequests.MOST_OF_A_BOND + 1)).isFalse();
        assertThat(seen.contains(1, -1)).isTrue();
    }

    @Test
    void aBondThatIsForgottenMustShowAnotherNonce() {
        final long before = generation();
        seen.add(7, 1);
        assertThat(generation()).isEqualTo(before);
        for (long other = 100; other < 100 + SeenRequests.MOST_BONDS - 1; other++) {
            seen.add(other, 1);
        }
        assertThat(generation()).isEqualTo(before);
        assertThat(seen.contains(7, 1)).isTrue();
        seen.contains(7, 1); // asked for again: it is not the one that was not used for longest
        seen.add(500, 1);
        seen.add(501, 1);
        assertThat(seen.contains(7, 1)).isTrue();
        for (long other = 1_000; other < 1_000 + SeenRequests.MOST_BONDS; other++) {
            seen.add(other, 1);
        }
        assertThat(seen.contains(7, 1)).isFalse();
        assertThat(generation()).isNotEqualTo(before);
    }
}
