package io.vhca.rdp.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The credits of one connection. */
class CreditWindowTest {
    private static final int DEPTH = 4;

    private final CreditWindow window = new CreditWindow(DEPTH);

    @BeforeEach
    void begin() {
        window.begin();
        window.credits(3);
    }

    @Test
    void nothingIsSentBeforeThePeerSaidWhatItKeeps() {
        window.begin();

        assertThat(window.left()).isZero();
        assertThatThrownBy(window::posted).isInstanceOf(AssertionError.class).hasMessageContaining("without a credit");
    }

    @Test
    void creditsComeBackWhenThePeerGrantsAndPlacesWhenSendsComplete() {
        window.posted();
        window.posted();
        window.posted();
        assertThat(window.left()).isZero();
        assertThat(window.hasPlace()).isTrue();

        assertThat(window.onGranted(2)).isTrue();
        assertThat(window.outstanding()).isEqualTo(1);
        assertThat(window.unused()).isEqualTo(2);
        assertThat(window.left()).as("three of four places are taken").isEqualTo(1);

        window.posted();
        assertThat(window.hasPlace()).isFalse();
        assertThat(window.left()).isZero();
        window.completed();
        assertThat(window.left()).isEqualTo(1);
    }

    @Test
    void morePlacesThanWereTakenDoNotComeBack() {
        assertThatThrownBy(window::completed).isInstanceOf(AssertionError.class);
    }

    @Test
    void aGrantThatIsLateChangesNothingAndOneOfWhatWasNotSentIsWrong() {
        window.posted();
        window.posted();
        assertThat(window.onGranted(2)).isTrue();

        assertThat(window.onGranted(1)).isTrue();
        assertThat(window.outstanding()).isZero();
        assertThat(window.isGranted(2)).isTrue();
        assertThat(window.isGranted(3)).isFalse();
        assertThat(window.onGranted(3)).isFalse();
        assertThat(window.outstanding()).isZero();
    }

    @Test
    void whatWasTakenOffIsToldOnce() {
        window.consumed();
        window.consumed();
        assertThat(window.untold()).isEqualTo(2);
        assertThat(window.told()).isZero();

        assertThat(window.tell()).isEqualTo(2);
        assertThat(window.untold()).isZero();
        assertThat(window.told()).isEqualTo(2);
    }

    @Test
    void aSessionThatEndsHasNothingOutstandingAndTheNextBeginsAnew() {
        window.posted();
        window.consumed();
        window.end();
        assertThat(window.outstanding()).isZero();

        window.begin();
        window.credits(2);
        assertThat(window.sent()).isZero();
        assertThat(window.untold()).isZero();
        assertThat(window.left()).isEqualTo(2);
    }

    /** Several times around: as many credits as there are is no power of two. */
    @Test
    void countsTheDatagramsOfWhatIsNotConfirmed() {
        final SplittableRandom random = new SplittableRandom(3);
        final ArrayDeque<Integer> messages = new ArrayDeque<>();
        final CreditWindow deep = new CreditWindow(100, (1L << 31) - 100);
        deep.begin();
        deep.credits(13);
        int granted = (int) deep.sent();
        for (int i = 0; i < 1_000; i++) {
            if (deep.left() > 0 && random.nextInt(5) > 0) {
                final int ending = random.nextInt(3);
                deep.posted(ending);
                deep.completed();
                messages.add(ending);
            }
            if (!messages.isEmpty() && random.nextInt(3) == 0) {
                deep.joined();
                messages.add(messages.removeLast() + 1);
            }
            if (!messages.isEmpty() && random.nextInt(3) > 0) {
                messages.remove();
                granted++;
                assertThat(deep.onGranted(granted)).isTrue();
            }
            assertThat(deep.unconfirmed()).isEqualTo(messages.stream().mapToInt(Integer::intValue).sum());
        }
        deep.end();
        assertThat(deep.unconfirmed()).isZero();
        deep.begin();
        deep.credits(13);
        assertThat(deep.unconfirmed()).isZero();
    }

    /** Two ends, many times around: what is on its way never exceeds what the other keeps posted. */
    @Test
    void noMessageMeetsAnEmptyQueue() {
        final SplittableRandom random = new SplittableRandom(7);
        final CreditWindow other = new CreditWindow(DEPTH);
        other.begin();
        int sent = 0;
        int posted = 3;
        int inQueue = 0;
        for (int i = 0; i < 100_000; i++) {
            if (random.nextBoolean() && window.left() > 0) {
                window.posted();
                posted--;
                inQueue++;
                sent++;
                assertThat(posted).isNotNegative();
                assertThat(inQueue).isLessThanOrEqualTo(DEPTH);
            }
            if (random.nextBoolean() && posted < 3) {
                other.consumed();
                posted++;
            }
            if (random.nextBoolean() && inQueue > 0) {
                window.completed();
                inQueue--;
            }
            if (random.nextInt(3) == 0) {
                assertThat(window.onGranted(other.tell())).isTrue();
            }
        }
        assertThat(sent).isGreaterThan(1_000);
    }

    /** A flow that sent nothing meanwhile has a mark that old. */
    @Test
    void aMarkStaysGrantedHoweverManyFollow() {
        final long around = (1L << 31) - 1;
        final CreditWindow late = new CreditWindow(DEPTH, around);
        late.begin();
        late.credits(3);
        late.posted();
        late.posted();
        assertThat(late.isGranted(around + 2)).isFalse();
        assertThat(late.onGranted((int) (around + 3))).as("it was not sent").isFalse();
        assertThat(late.onGranted((int) (around + 2))).isTrue();
        assertThat(late.outstanding()).isZero();
        assertThat(late.isGranted(around + 2)).isTrue();
        assertThat(late.isGranted(0)).isTrue();
    }
}
