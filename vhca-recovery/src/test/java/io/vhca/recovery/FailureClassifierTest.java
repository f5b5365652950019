package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.WcStatus;
import io.vhca.recovery.wire.FailureReason;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FailureClassifierTest {
    @Test
    void everyStatusHasItsVerdictWithThePortActiveAndNot() {
        // S success, F fail over, P pass through, N never a cause, D doubtful; first letter: port active, second: not
        // active
        final Map<WcStatus, String> table = new EnumMap<>(WcStatus.class);
        table.put(WcStatus.SUCCESS, "SS");
        table.put(WcStatus.LOC_LEN_ERR, "PP");
        table.put(WcStatus.LOC_QP_OP_ERR, "DF");
        table.put(WcStatus.LOC_EEC_OP_ERR, "DD");
        table.put(WcStatus.LOC_PROT_ERR, "PP");
        table.put(WcStatus.WR_FLUSH_ERR, "NN");
        table.put(WcStatus.MW_BIND_ERR, "PP");
        table.put(WcStatus.BAD_RESP_ERR, "DD");
        table.put(WcStatus.LOC_ACCESS_ERR, "PP");
        table.put(WcStatus.REM_INV_REQ_ERR, "PP");
        table.put(WcStatus.REM_ACCESS_ERR, "PP");
        table.put(WcStatus.REM_OP_ERR, "PP");
        table.put(WcStatus.RETRY_EXC_ERR, "FF");
        table.put(WcStatus.RNR_RETRY_EXC_ERR, "PP");
        table.put(WcStatus.LOC_RDD_VIOL_ERR, "DD");
        table.put(WcStatus.REM_INV_RD_REQ_ERR, "DD");
        table.put(WcStatus.REM_ABORT_ERR, "DD");
        table.put(WcStatus.INV_EECN_ERR, "DD");
        table.put(WcStatus.INV_EEC_STATE_ERR, "DD");
        table.put(WcStatus.FATAL_ERR, "DF");
        table.put(WcStatus.RESP_TIMEOUT_ERR, "DF");
        table.put(WcStatus.GENERAL_ERR, "DF");
        table.put(WcStatus.TM_ERR, "DD");
        table.put(WcStatus.TM_RNDV_INCOMPLETE, "DD");
        table.put(WcStatus.UNKNOWN, "DD");
        for (final WcStatus status : WcStatus.values()) {
            final String letters = letter(FailureClassifier.classify(status, 0, true))
                    + letter(FailureClassifier.classify(status, 0, false));
            assertThat(letters).as(status.toString()).isEqualTo(table.get(status));
        }
    }

    private static String letter(final FailureClass judged) {
        return judged.name().substring(0, 1);
    }

    @Test
    void whatALowerBondGaveUpIsNotTriedAgain() {
        for (final BondError error : BondError.values()) {
            assertThat(FailureClassifier.classify(error.status(), error.vendorErr(),
                    true)).isEqualTo(FailureClass.PASS_THROUGH);
            assertThat(BondError.fromVendorErr(error.vendorErr())).isEqualTo(error);
        }
        assertThat(BondError.fromVendorErr(0)).isNull();
        assertThat(BondError.fromVendorErr(0x5648_7777)).isNull();
        assertThat(FailureClassifier.reason(WcStatus.RETRY_EXC_ERR)).isEqualTo(FailureReason.RETRY_EXC);
        assertThat(FailureClassifier.reason(WcStatus.GENERAL_ERR)).isEqualTo(FailureReason.LOCAL_QP_ERROR);
    }
}
