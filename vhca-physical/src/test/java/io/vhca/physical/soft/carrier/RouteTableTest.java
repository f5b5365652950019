package io.vhca.physical.soft.carrier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.Gid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A bounded table of routes: what is used stays where it leads, what is not gives up its place, the oldest first. */
class RouteTableTest {
    private static final long SEED = 20_261_122L;

    private final Map<Integer, Gid> leads = new HashMap<>();
    private final RouteTable table = new RouteTable(3, (token, to) -> leads.put(token, to.gid()));

    private static Gid gid(final long number) {
        return new Gid(0, number);
    }

    private static Destination to(final long number) {
        return Destination.of(gid(number));
    }

    private int takeAndRelease(final long number) {
        final int token = table.take(to(number));
        table.release(token);
        return token;
    }

    @Test
    void theSameDestinationHasTheSameTokenUntilItsPlaceIsNeeded() {
        final int one = takeAndRelease(1);
        assertThat(takeAndRelease(1)).isEqualTo(one);
        assertThat(leads).hasSize(1).containsEntry(one, gid(1));
    }

    @Test
    void theRouteUnusedForTheLongestTimeGoesFirst() {
        final int one = takeAndRelease(1);
        final int two = takeAndRelease(2);
        final int three = takeAndRelease(3);
        assertThat(takeAndRelease(1)).isEqualTo(one);
        assertThat(takeAndRelease(4)).isEqualTo(two);
        assertThat(takeAndRelease(5)).isEqualTo(three);
        assertThat(takeAndRelease(1)).isEqualTo(one);
    }

    @Test
    void aRouteInUseStaysAndAFullTableSaysSo() {
        table.take(to(1));
        table.take(to(1));
        table.take(to(2));
        final int third = table.take(to(3));
        assertThat(table.take(to(4))).isEqualTo(-Errno.ENOMEM);
        table.release(table.take(to(1)));
        assertThat(table.take(to(4))).isEqualTo(-Errno.ENOMEM);
        table.release(third);
        assertThat(table.take(to(4))).isEqualTo(third);
        assertThat(leads).containsEntry(third, gid(4)).containsValues(gid(1), gid(2));
    }

    @Test
    void onlyWhatWasTakenIsGivenBack() {
        final int token = takeAndRelease(1);
        assertThatThrownBy(() -> table.release(token)).isInstanceOf(AssertionError.class);
    }

    @Test
    void whateverIsTakenAndGivenBackATokenLeadsWhereItWasTakenTo() {
        final SplittableRandom random = new SplittableRandom(SEED);
        final List<Integer> tokens = new ArrayList<>();
        final List<Gid> destinations = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (tokens.isEmpty() || random.nextBoolean()) {
                final Gid wanted = gid(random.nextInt(6));
                final int token = table.take(Destination.of(wanted));
                if (token >= 0) {
                    tokens.add(token);
                    destinations.add(wanted);
                } else {
                    assertThat(destinations.stream().distinct().count()).isEqualTo(3);
                }
            } else {
                final int which = random.nextInt(tokens.size());
                table.release(tokens.remove(which));
                destinations.remove(which);
            }
            for (int k = 0; k < tokens.size(); k++) {
                assertThat(leads).containsEntry(tokens.get(k), destinations.get(k));
            }
        }
    }
}
