package io.vhca.physical.soft.engine.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Numbers of queue pairs: each comes once, and what was seen does not tell what follows. */
class QpNumbersTest {
    private static final int ALL = 1 << 24;

    @Test
    void eachNumberComesOnceBeforeTheFirstComesAgain() {
        final QpNumbers numbers = new QpNumbers(new SplittableRandom(3));
        final BitSet seen = new BitSet(ALL);
        final int first = numbers.next();
        seen.set(first);
        for (int i = 1; i < ALL; i++) {
            seen.set(numbers.next());
        }
        assertThat(seen.cardinality()).isEqualTo(ALL);
        assertThat(numbers.next()).isEqualTo(first);
    }

    @Test
    void stepsFromOneToTheNextDoNotRepeat() {
        final QpNumbers numbers = new QpNumbers(new SplittableRandom(4));
        final BitSet steps = new BitSet(ALL);
        int last = numbers.next();
        int near = 0;
        for (int i = 0; i < 10_000; i++) {
            final int next = numbers.next();
            steps.set(next - last & ALL - 1);
            near += Math.abs(next - last) < 1 << 16 ? 1 : 0;
            last = next;
        }
        // Of random steps about 3 are doubled and 78 near.
        assertThat(steps.cardinality()).isGreaterThan(9_980);
        assertThat(near).isBetween(20, 160);
    }

    @Test
    void theSameSeedGivesTheSameNumbersAndAnotherOthers() {
        final QpNumbers one = new QpNumbers(new SplittableRandom(5));
        final QpNumbers same = new QpNumbers(new SplittableRandom(5));
        final QpNumbers other = new QpNumbers(new SplittableRandom(6));
        int equal = 0;
        for (int i = 0; i < 1000; i++) {
            final int next = one.next();
            assertThat(same.next()).isEqualTo(next);
            equal += other.next() == next ? 1 : 0;
        }
        assertThat(equal).isLessThan(3);
    }
}
