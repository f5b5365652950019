package io.vhca.bond.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ConnectTurnsTest {
    private static final int MOST = ConnectTurns.MOST_AT_ONCE;

    private final ConnectTurns turns = new ConnectTurns();
    private final List<Integer> begun = new ArrayList<>();
    private final List<Integer> ended = new ArrayList<>();

    private Runnable add(final int number) {
        final Runnable attempt = () -> {
            begun.add(number);
            turns.began(() -> !ended.contains(number));
        };
        turns.add(attempt);
        return attempt;
    }

    private static List<Integer> numbers(final int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    @Test
    void thereIsRoomForSoManyAndTheOthersFollowInTheirOrder() {
        numbers(3 * MOST).forEach(this::add);
        assertThat(begun).isEqualTo(numbers(MOST));
        assertThat(turns.doWork(0)).isZero();
        ended.addAll(List.of(3, 7));
        assertThat(turns.doWork(0)).isEqualTo(2);
        assertThat(begun).isEqualTo(numbers(MOST + 2));
        ended.addAll(numbers(2 * MOST));
        turns.doWork(0);
        ended.addAll(numbers(3 * MOST));
        turns.doWork(0);
        assertThat(begun).isEqualTo(numbers(3 * MOST));
    }

    @Test
    void aLaterOneDoesNotPassThoseThatWait() {
        numbers(MOST + 1).forEach(this::add);
        ended.add(0);
        add(MOST + 1);
        assertThat(begun).isEqualTo(numbers(MOST));
        ended.add(1);
        turns.doWork(0);
        assertThat(begun).isEqualTo(numbers(MOST + 2));
    }

    @Test
    void whatIsGivenUpDoesNotBegin() {
        numbers(MOST).forEach(this::add);
        final Runnable givenUp = add(MOST);
        add(MOST + 1);
        turns.remove(givenUp);
        ended.addAll(numbers(MOST));
        turns.doWork(0);
        assertThat(begun).doesNotContain(MOST).contains(MOST + 1);
        turns.remove(givenUp);
    }

    @Test
    void asManyAsOneSays() {
        final ConnectTurns few = new ConnectTurns(2);
        for (int i = 0; i < 3; i++) {
            final int number = i;
            few.add(() -> {
                begun.add(number);
                few.began(() -> !ended.contains(number));
            });
        }
        assertThat(begun).isEqualTo(numbers(2));
        ended.add(1);
        assertThat(few.doWork(0)).isEqualTo(1);
        assertThat(begun).isEqualTo(numbers(3));
    }

    @Test
    void oneThatCouldNotBeginTakesNoRoom() {
        for (int i = 0; i < 2 * MOST; i++) {
            final int number = i;
            turns.add(() -> begun.add(number));
        }
        assertThat(begun).isEqualTo(numbers(2 * MOST));
    }
}
