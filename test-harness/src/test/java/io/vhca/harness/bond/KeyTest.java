package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.AuthKeyFile;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.core.BondCounters.Counter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two bonds over soft RNICs that have a key in common, end to end. */
class KeyTest {
    private static final List<Counter> REFUSALS = List.of(
            Counter.REQ_NO_PROOF, Counter.REQ_BAD_PROOF, Counter.REQ_NO_KEY, Counter.REQ_REPLAYED,
            Counter.ANSWER_BAD_PROOF, Counter.KEY_REFUSED, Counter.CONTROL_BAD_PROOF, Counter.REQ_UNKNOWN_SESSION);

    private final SplittableRandom random = new SplittableRandom(9);

    @TempDir
    private Path directory;

    private Path key = Path.of("");

    @BeforeEach
    void create() throws Exception {
        key = directory.resolve("key");
        AuthKeyFile.create(key, random);
    }

    private static UnaryOperator<BondConfig.Builder> with(final Path file) {
        return config -> config.set(BondOption.AUTH_KEY_FILE, Optional.of(file.toString()));
    }

    private static long refusals(final BondPair pair) {
        return List.of(pair.left.bond, pair.right.bond).stream()
                .mapToLong(bond -> REFUSALS.stream().mapToLong(why -> bond.counters().get(why)).sum())
                .sum();
    }

    private static void exchange(final BondPair pair, final int messages) {
        final int before = pair.right.received;
        for (int i = 0; i < messages; i++) {
            pair.left.send();
        }
        assertThat(pair.runUntil(() -> pair.right.received == before + messages, 2_000 * BondPair.MS)).isTrue();
    }

    private static void failOver(final BondPair pair, final int member) {
        final int before = pair.left.failovers().size();
        pair.left.ports[member].up(false);
        assertThat(pair.runUntil(() -> pair.left.failovers().size() > before, 10_000 * BondPair.MS)).isTrue();
        pair.left.ports[member].up(true);
        pair.runFor(50 * BondPair.MS);
    }

    @Test
    void theyConnectCarryAndFailOver() {
        try (BondPair pair = new BondPair(with(key))) {
            exchange(pair, 5);
            failOver(pair, 0);
            exchange(pair, 5);
            failOver(pair, 1);
            exchange(pair, 5);
            pair.connect();
            exchange(pair, 5);
            assertThat(refusals(pair)).isZero();
            assertThat(pair.right.bond.counters().get(Counter.REQ_CHALLENGED))
                    .as("once at the application's port, once at the bond's own, at one of its addresses each")
                    .isBetween(2L, 4L);
        }
    }

    /** A third bond, which opens last, has another file or none. */
    private void assertThirdIsRefused(final UnaryOperator<BondConfig.Builder> ofThird, final Counter why) {
        final AtomicInteger opened = new AtomicInteger();
        try (BondPair pair = new BondPair(config ->
                opened.getAndIncrement() < 2 ? with(key).apply(config) : ofThird.apply(config))) {
            final BondPair.Host third = pair.addThird();
            third.channel
                    .createId(CmPortSpace.TCP, null)
                    .resolveAddr(null, new InetSocketAddress(pair.address(1, 9), BondPair.PORT), 1_000);
            pair.right.events.clear();
            assertThat(pair.runUntil(() -> third.events.contains(CmEventType.REJECTED), 1_000 * BondPair.MS))
                    .isTrue();
            assertThat(third.bond.counters().get(Counter.KEY_REFUSED)).isEqualTo(1);
            assertThat(pair.right.bond.counters().get(why)).isEqualTo(1);
            pair.runFor(1_000 * BondPair.MS);
            assertThat(pair.right.events).as("its application hears nothing").isEmpty();
            exchange(pair, 5);
        }
    }

    @Test
    void aBondWithoutAKeyIsRefused() {
        assertThirdIsRefused(config -> config, Counter.REQ_NO_PROOF);
    }

    @Test
    void aBondWithAnotherKeyIsRefused() throws Exception {
        final Path other = directory.resolve("other");
        AuthKeyFile.create(other, random);
        assertThirdIsRefused(with(other), Counter.REQ_BAD_PROOF);
    }

    @Test
    void aKeyIsRotatedWhileTheyCarryAndFailOver() throws Exception {
        try (BondPair pair = new BondPair(with(key))) {
            exchange(pair, 5);
            AuthKeyFile.rotate(key, random);
            tell(pair.left.bond);
            failOver(pair, 0);
            exchange(pair, 5);
            assertThat(pair.right.bond.counters().get(Counter.REQ_BAD_PROOF))
                    .as("the right bond has not the new key yet")
                    .isPositive();
            tell(pair.right.bond);
            final long before = refusals(pair);
            failOver(pair, 1);
            exchange(pair, 5);
            AuthKeyFile.rotate(key, random);
            tell(pair.right.bond);
            tell(pair.left.bond);
            failOver(pair, 0);
            exchange(pair, 5);
            assertThat(refusals(pair)).isEqualTo(before);
        }
    }

    private void tell(final BondContext bond) {
        bond.admin().set(List.of("auth_key_file=" + key));
    }

    @Test
    void aBondWithABadKeyFileDoesNotOpenAndSaysWhy() {
        assertThatThrownBy(() -> new BondPair(with(directory.resolve("none"))).close())
                .hasMessageContaining("auth_key_file")
                .hasMessageContaining("there is no such file");
    }
}
