package io.vhca.harness.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.WrOpcode;
import io.vhca.harness.drill.child.ArrivalCheck;
import io.vhca.harness.drill.child.BankTeller;
import io.vhca.harness.drill.html.SvgChart;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.JvmCommand;
import io.vhca.harness.drill.protocol.MessageSizes;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class DrillPartsTest {
    @Test
    void aLineComesBackAsItWent() {
        final DrillLine line = DrillLine.of("died", "why", "50 % = half & \n\"more\"", "empty", "");
        assertThat(DrillLine.decode(line.encode())).isEqualTo(line);
        assertThat(line.encode()).doesNotContain("\n");
        assertThat(DrillLine.decode("WARNING: something else")).isNull();
        assertThat(DrillLine.decode("@kind with words")).isNull();
        assertThat(Objects.requireNonNull(DrillLine.decode("@bare")).kind()).isEqualTo("bare");
        assertThatThrownBy(() -> line.text("nosuch")).hasMessageContaining("no nosuch");
    }

    private static long execute(final BankTeller teller, final long[] bank) {
        final long before = bank[teller.word()];
        if (teller.opcode() == WrOpcode.ATOMIC_FETCH_AND_ADD) {
            bank[teller.word()] += teller.operand();
        } else if (before == teller.operand()) {
            bank[teller.word()] = teller.swap();
        }
        return before;
    }

    @Test
    void tellersAtOneBankNeitherLoseNorMakeMoney() {
        final long[] bank = new long[BankTeller.WORDS];
        Arrays.fill(bank, 0, BankTeller.ACCOUNTS, BankTeller.BALANCE);
        final long[] opening = bank.clone();
        final long[] told = new long[BankTeller.WORDS];
        final List<BankTeller> tellers = List.of(new BankTeller(1), new BankTeller(2), new BankTeller(3));
        final SplittableRandom random = new SplittableRandom(4);
        int transfers = 0;
        for (int i = 0; i < 1_000 || tellers.stream().anyMatch(BankTeller::isWithinTransfer); i++) {
            final BankTeller teller = tellers.get(random.nextInt(tellers.size()));
            transfers += teller.found(execute(teller, bank), told) ? 1 : 0;
        }
        assertThat(bank[BankTeller.COUNTER]).isEqualTo(transfers).isGreaterThan(100);
        for (int word = 0; word < BankTeller.WORDS; word++) {
            assertThat(bank[word]).isEqualTo(opening[word] + told[word]);
        }
        assertThat(Arrays.stream(bank, 0, BankTeller.ACCOUNTS).sum())
                .isEqualTo(BankTeller.ACCOUNTS * BankTeller.BALANCE);
        final BankTeller last = tellers.getFirst();
        while (last.opcode() != WrOpcode.ATOMIC_FETCH_AND_ADD) {
            last.found(execute(last, bank), told);
        }
        execute(last, bank);
        last.found(execute(last, bank), told);
        assertThat(bank[BankTeller.COUNTER]).as("executed twice, told once").isEqualTo(told[BankTeller.COUNTER] + 1);
    }

    @Test
    void exactlyOnceAndInOrderIsTheOnlyCleanArrival() {
        // All sequences of up to 4 numbers out of 0 .. 3, when 4 were sent.
        int clean = 0;
        for (int code = 0; code < 256; code++) {
            final ArrivalCheck check = new ArrivalCheck();
            for (int i = 0; i < 4; i++) {
                check.on(code >> 2 * i & 3);
            }
            check.end(4);
            clean += check.isClean() ? 1 : 0;
        }
        assertThat(clean).isEqualTo(1);
    }

    @Test
    void lostAndDoubledAreCounted() {
        final ArrivalCheck check = new ArrivalCheck();
        for (final long sequence : new long[] {0, 1, 1, 4, 3}) {
            check.on(sequence);
        }
        check.end(7);
        assertThat(List.of(check.arrived(), check.lost(), check.doubled())).containsExactly(5L, 4L, 2L);
    }

    @Test
    void sizesAreMixedBoundedAndRepeatable() {
        final MessageSizes sizes = new MessageSizes(3, 1 << 16);
        final MessageSizes again = new MessageSizes(3, 1 << 16);
        long small = 0;
        long large = 0;
        for (int i = 0; i < 10_000; i++) {
            final int size = sizes.next(Long.MAX_VALUE);
            assertThat(size).isBetween(1, 1 << 16).isEqualTo(again.next(Long.MAX_VALUE));
            small += size < 256 ? 1 : 0;
            large += size > 1 << 14 ? 1 : 0;
        }
        assertThat(small).isGreaterThan(1_000);
        assertThat(large).isGreaterThan(1_000);
        assertThat(sizes.next(1)).isEqualTo(1);
    }

    @Test
    void childrenGetTheParentsFlagsLessItsOwnAffairs() {
        assertThat(JvmCommand.flags(List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "-agentlib:jdwp=x",
                        "-Xmx2g",
                        "-Dvhca.bond=y",
                        "-Dother=z")))
                .containsExactly("--enable-native-access=ALL-UNNAMED", "-Dother=z");
    }

    @Test
    void axisStepsAreRound() {
        assertThat(SvgChart.niceAbove(0.4)).isEqualTo(0.5);
        assertThat(SvgChart.niceAbove(51)).isEqualTo(100);
        assertThat(SvgChart.niceAbove(50)).isEqualTo(50);
        assertThat(SvgChart.niceAbove(1.2)).isEqualTo(2);
    }

    /** A pace of a file an hour is far below 1 MB/s; its axis had said 0, 0, 0, 1, 1, 1. */
    @Test
    void noTwoLinesOfAScaleSayTheSame() {
        for (final double most : new double[] {0.04, 1, 2, 3, 10, 500}) {
            final String svg = new SvgChart("rate", 150_000_000, most).svg();
            assertThat(labels(svg, "end")).hasSize(6).doesNotHaveDuplicates();
            assertThat(labels(svg, "middle")).hasSizeGreaterThan(4).doesNotHaveDuplicates();
        }
        assertThat(labels(new SvgChart("rate", 30_000_000_000L, 1).svg(), "end"))
                .containsExactly("0.0", "0.2", "0.4", "0.6", "0.8", "1.0");
        assertThat(labels(new SvgChart("rate", 30_000_000_000L, 50).svg(), "end"))
                .containsExactly("0", "10", "20", "30", "40", "50");
    }

    private static List<String> labels(final String svg, final String anchor) {
        return Pattern.compile("text-anchor=\"" + anchor + "\" class=\"\">([0-9][^<]*)<")
                .matcher(svg).results().map(found -> found.group(1)).toList();
    }
}
