package io.vhca.harness.drill.attack.kind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Gid;
import io.vhca.bond.core.BondCounters;
import io.vhca.harness.drill.attack.packet.Forgery;
import io.vhca.harness.drill.attack.packet.Knowledge;
import io.vhca.harness.drill.attack.packet.PacketForge;
import io.vhca.harness.drill.attack.packet.Shot;
import io.vhca.harness.drill.attack.packet.Sighting;
import io.vhca.physical.soft.cm.CmCounter;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.Opcodes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every row of the table makes packets, from whom it says and to whom it attacks, the same for the same seed. */
class AttackTableTest {
    private static final List<Gid> SERVER = List.of(Sighting.gid("10.0.0.2"), Sighting.gid("10.0.1.2"));
    private static final List<Gid> CLIENT = List.of(Sighting.gid("10.0.0.1"), Sighting.gid("10.0.1.1"));
    private static final Gid STRANGERS = Sighting.gid("10.9.0.0");

    private static AttackScene scene(final Attacker attacker, final long seed, final List<Sighting> seen) {
        final SplittableRandom random = new SplittableRandom(seed);
        return new AttackScene(
                attacker, SERVER, CLIENT, STRANGERS, Knowledge.of(seen, random), 7471, 27_648, random,
                new PacketForge());
    }

    private static List<Sighting> seen() {
        final PacketForge forge = new PacketForge();
        final SplittableRandom random = new SplittableRandom(3);
        final Forgery forgery = new Forgery(random, Knowledge.guessed(random), 7471, 27_648, true);
        final List<Sighting> seen = new ArrayList<>();
        for (final byte[] mad : List.of(forgery.first(CLIENT.get(0), SERVER.get(0)), forgery.rtu())) {
            seen.add(new Sighting(CLIENT.get(0), SERVER.get(0), forge.management(mad, 1)));
        }
        seen.add(new Sighting(
                CLIENT.get(1), SERVER.get(1),
                forge.reliable(
                        Opcodes.RC_SEND_ONLY, 0x99, 7, new PacketForge.Extended(0, 0, 0, 0, 0), new byte[4])));
        return seen;
    }

    static Stream<AttackKind> rows() {
        return AttackTable.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void packetsComeFromTheAttackerAndGoToTheAttacked(final AttackKind kind) {
        final ShotSource source = kind.source().apply(scene(kind.attacker(), 7, seen()));
        final ShotSource again = kind.source().apply(scene(kind.attacker(), 7, seen()));
        for (int i = 0; i < 500; i++) {
            final Shot shot = source.next();
            final Shot same = again.next();
            assertThat(same.packet()).isEqualTo(shot.packet());
            assertThat(same.to()).isEqualTo(shot.to());
            final boolean isToServer = SERVER.contains(shot.to());
            assertThat(isToServer || CLIENT.contains(shot.to())).isTrue();
            if (!kind.attacker().spoofs()) {
                assertThat(shot.from().interfaceId() - STRANGERS.interfaceId())
                        .isBetween(0L, (long) ManySources.ADDRESSES);
            } else {
                assertThat(isToServer ? CLIENT : SERVER).contains(shot.from());
            }
            assertThat(shot.packet().length).isLessThan(PacketForge.MOST_BYTES);
        }
    }

    @Test
    void everyMessageIsForgedByEveryAttacker() {
        for (final Attacker attacker : Attacker.values()) {
            final Set<String> names = new HashSet<>();
            AttackTable.ALL.stream()
                    .filter(kind -> kind.attacker() == attacker)
                    .forEach(kind -> names.add(kind.name()));
            assertThat(names)
                    .contains(
                            "req-first", "req-recover", "req-close", "req-oob", "req-control", "req-probe",
                            "req-datagram", "req-leftover", "sidr-req", "rep", "rtu", "rej", "rej-timeout", "dreq",
                            "drep", "mra", "sidr-rep", "rc");
        }
    }

    @Test
    void labelsAreUniqueAndCountersExist() {
        final Set<String> counters = new HashSet<>(Set.of("app.REFUSED"));
        Arrays.stream(NicCounter.values()).forEach(counter -> counters.add("nic." + counter));
        Arrays.stream(CmCounter.values()).forEach(counter -> counters.add("cm." + counter));
        Arrays.stream(BondCounters.Counter.values()).forEach(counter -> counters.add("bond." + counter));
        final Set<String> labels = new HashSet<>();
        for (final AttackKind kind : AttackTable.ALL) {
            assertThat(labels.add(kind.label())).as(kind.label()).isTrue();
            assertThat(AttackTable.byLabel(kind.label())).isSameAs(kind);
            assertThat(kind.counters()).isNotEmpty().isSubsetOf(counters);
        }
        assertThatThrownBy(() -> AttackTable.byLabel("nosuch")).hasMessageContaining("no attack nosuch");
    }

    @Test
    void onlyWhoIsOnThePathMayEverGetThrough() {
        for (final AttackKind kind : AttackTable.ALL) {
            if (kind.attacker() != Attacker.ON_PATH) {
                assertThat(kind.defence()).as(kind.label()).isEqualTo(Defence.ALWAYS);
            }
        }
        assertThat(Defence.ALWAYS.holds(false)).isTrue();
        assertThat(Defence.WITH_KEY.holds(false)).isFalse();
        assertThat(Defence.WITH_KEY.holds(true)).isTrue();
        assertThat(Defence.NONE.holds(true)).isFalse();
    }

    @Test
    void aReplayIsWordForWord() {
        final List<Sighting> seen = seen();
        final ShotSource replay = Replay.ofMessages(scene(Attacker.ON_PATH, 1, seen));
        for (int round = 0; round < 4; round++) {
            final Shot shot = replay.next();
            assertThat(shot.packet()).isEqualTo(seen.get(round % 2).packet());
            assertThat(shot.from()).isEqualTo(seen.get(round % 2).from());
            assertThat(shot.to()).isEqualTo(seen.get(round % 2).to());
        }
        final ShotSource elsewhere = Replay.elsewhere(scene(Attacker.ON_PATH, 1, seen));
        for (int i = 0; i < 100; i++) {
            final Shot shot = elsewhere.next();
            assertThat(shot.to()).isNotEqualTo(SERVER.getFirst());
            assertThat(seen).extracting(Sighting::packet).contains(shot.packet());
        }
        assertThatThrownBy(() -> Replay.ofData(scene(Attacker.ON_PATH, 1, List.of())))
                .hasMessageContaining("nothing was seen");
    }

    @Test
    void noiseIsOfEveryLength() {
        final Set<Integer> lengths = new HashSet<>();
        final ShotSource truncated = Noise.truncated(scene(Attacker.STRANGER, 2, List.of()));
        boolean isCutWithinHeader = false;
        for (int i = 0; i < 2_000; i++) {
            final Shot shot = truncated.next();
            lengths.add(shot.packet().length);
            isCutWithinHeader |= shot.packet().length < BthDescriptor.SIZE;
        }
        assertThat(lengths.size()).isGreaterThan(50);
        assertThat(isCutWithinHeader).isTrue();
    }

    @Test
    void aFloodOfSourcesHasMoreOfThemThanThereAreRoutes() {
        final ShotSource source = new ManySources(scene(Attacker.STRANGER, 4, List.of()));
        final Set<Gid> from = new HashSet<>();
        for (int i = 0; i < ManySources.ADDRESSES; i++) {
            from.add(source.next().from());
        }
        assertThat(from).hasSize(ManySources.ADDRESSES).hasSizeGreaterThan(4096);
    }
}
