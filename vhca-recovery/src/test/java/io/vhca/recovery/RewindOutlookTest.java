package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.wire.ReceiverCounts;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** What is said to be certain holds for every count that the peer may answer; what is doubtful does not. */
class RewindOutlookTest {
    private static final String KINDS = "SWR";

    /** Sends, WRITEs and READs, by their letters. */
    private record Log(String ops, long hwCompletedSeq, long postedSeq) implements SendLog {
        @Override
        public long consumerSeq() {
            return 0;
        }

        @Override
        public long producerSeq() {
            return ops.length();
        }

        @Override
        public long completedMessages() {
            return 0;
        }

        @Override
        public boolean consumesReceive(final long seq) {
            return ops.charAt((int) seq) == 'S';
        }

        @Override
        public boolean needsResponse(final long seq) {
            return ops.charAt((int) seq) == 'R';
        }
    }

    private static void judge(final Log log) {
        final RewindOutlook outlook = RewindOutlook.of(log, WriteReplay.REPLAY);
        final long messages = log.ops.substring(0, (int) log.postedSeq).chars().filter(op -> op == 'S').count();
        for (long received = 0; received <= messages; received++) {
            for (long ledger = 0; ledger <= log.postedSeq; ledger++) {
                final RewindPlan plan =
                        RewindPlan.of(log, new ReceiverCounts(received, ledger), WriteReplay.REPLAY);
                for (long seq = 0; seq < log.producerSeq(); seq++) {
                    final WrFate said = outlook.fate(seq);
                    if (plan.error() == null && said != WrFate.DOUBTFUL && said != plan.fate(log, seq)) {
                        throw new AssertionError(String.format(
                                Locale.ROOT, "%s: #%d is said to be %s, and is %s for %d and %d", log, seq, said,
                                plan.fate(log, seq), received, ledger));
                    }
                }
            }
        }
    }

    @Test
    void whatIsCertainHoldsWhateverThePeerSays() {
        for (int length = 0; length <= 4; length++) {
            for (int number = 0; number < Math.pow(KINDS.length(), length); number++) {
                final StringBuilder ops = new StringBuilder();
                for (int rest = number; ops.length() < length; rest /= KINDS.length()) {
                    ops.append(KINDS.charAt(rest % KINDS.length()));
                }
                for (int posted = 0; posted <= length; posted++) {
                    for (int hardware = 0; hardware <= posted; hardware++) {
                        judge(new Log(ops.toString(), hardware, posted));
                    }
                }
            }
        }
    }

    @Test
    void eachFateIsSaid() {
        final Log log = new Log("WSRWS", 1, 4);
        final RewindOutlook outlook = RewindOutlook.of(log, WriteReplay.FAIL);
        assertThat(outlook.fate(0)).isEqualTo(WrFate.HAND_OUT);
        assertThat(outlook.fate(1)).isEqualTo(WrFate.DOUBTFUL);
        assertThat(outlook.fate(2)).isEqualTo(WrFate.REPLAY);
        assertThat(outlook.fate(3)).isEqualTo(WrFate.DOUBTFUL);
        assertThat(outlook.fate(4)).isEqualTo(WrFate.FIRST);
        assertThat(RewindPlan.of(log, new ReceiverCounts(1, 4), WriteReplay.FAIL).fate(log, 3))
                .isEqualTo(WrFate.PLACEHOLDER);
        assertThat(outlook.worst()).isNull();
        assertThat(RewindOutlook.of(new Log("WW", 0, 2), WriteReplay.FAIL).worst())
                .isEqualTo(BondError.WRITE_IN_DOUBT);
    }
}
