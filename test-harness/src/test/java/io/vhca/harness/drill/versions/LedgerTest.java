package io.vhca.harness.drill.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.drill.protocol.DrillLine;
import org.junit.jupiter.api.Test;

/** The verdict on a rolling upgrade is bad where anything was lost, doubled or ended that no restart explains. */
class LedgerTest {
    private final Ledger ledger = new Ledger();

    private void heard(
            final int by, final int life, final int from, final int itsLife, final int first, final int end) {
        ledger.on(by, life, DrillLine.of("heard", "peer", from, "life", itsLife, "first", first, "end", end));
    }

    private void sent(final int by, final int life, final int to, final int completed) {
        ledger.on(by, life, DrillLine.of("sent", "peer", to, "completed", completed));
    }

    /** Two processes: 0 was restarted, then 1; each life has sent to each of the other. */
    private void good() {
        heard(0, 0, 1, 0, 0, 10);
        sent(0, 0, 1, 5);
        heard(1, 0, 0, 0, 0, 5);
        heard(1, 0, 0, 1, 0, 8);
        heard(0, 1, 1, 0, 9, 20); // message 9 had not completed
        sent(1, 0, 0, 20);
        heard(1, 1, 0, 1, 8, 30);
        sent(0, 1, 1, 30);
        heard(0, 1, 1, 1, 0, 7);
        sent(1, 1, 0, 7);
        ledger.on(0, 1, DrillLine.of(
                "counts", "recovered", 3, "older", 1, "newer", 0, "garbage", 0, "unprotected", 0));
    }

    @Test
    void nothingIsWrongWithWhatIsSentAgainToARestartedProcess() {
        good();
        assertThat(ledger.judge(2)).isEmpty();
        assertThat(ledger.received()).isEqualTo(10 + 5 + 8 + 11 + 22 + 7);
    }

    @Test
    void aGapBetweenTwoLivesOfAReceiverIsALoss() {
        good();
        heard(0, 1, 1, 1, 9, 12);
        assertThat(ledger.judge(2)).singleElement().asString().contains("messages 7 to 8 were lost");
    }

    @Test
    void whatCompletedAndWasNotReceivedIsALoss() {
        good();
        sent(1, 1, 0, 9);
        assertThat(ledger.judge(2)).singleElement().asString().contains("7 to 8 completed and were not received");
    }

    /** At the end all are stopped in turn, and who lacked the processor tells of the first behind the second. */
    @Test
    void aConnectionWithOneThatWasStoppedEarlierEndsWithIt() {
        good();
        ledger.stops(0);
        ledger.stops(1);
        ledger.over(2, 0);
        ledger.on(2, 0, DrillLine.of("error", "peer", 0, "what", "its sends were flushed"));
        assertThat(ledger.judge(2)).isEmpty();
        ledger.isWhole();
        ledger.over(2, 0);
        assertThat(ledger.judge(2)).hasSize(1);
    }

    @Test
    void aConnectionThatEndsWithoutARestartOfEitherEndIsAFault() {
        good();
        ledger.stops(0);
        ledger.over(1, 0);
        assertThat(ledger.judge(2)).isEmpty();
        ledger.over(1, 2);
        ledger.on(1, 1, DrillLine.of("error", "peer", 2, "status", "RETRY_EXC_ERR"));
        ledger.on(1, 1, DrillLine.of("error", "peer", 0, "status", "REM_ABORT_ERR"));
        assertThat(ledger.judge(2)).hasSize(2);
    }

    @Test
    void aConnectionThatEndsAfterTheRestartIsAFaultAgain() {
        good();
        ledger.stops(0);
        ledger.isWhole();
        ledger.over(1, 0);
        ledger.on(1, 1, DrillLine.of("error", "peer", 0, "status", "RETRY_EXC_ERR"));
        assertThat(ledger.judge(2)).hasSize(2);
    }

    @Test
    void aRunThatShowsNothingIsNotGood() {
        assertThat(ledger.judge(2)).anyMatch(fault -> fault.contains("it has sent nothing"))
                .anyMatch(fault -> fault.contains("it showed nothing"));
        ledger.on(0, 0, DrillLine.of("fault", "what", "connect: version 1 cannot read it"));
        assertThat(ledger.judge(2)).anyMatch(fault -> fault.contains("process 0: connect: version 1 cannot read it"));
    }
}
