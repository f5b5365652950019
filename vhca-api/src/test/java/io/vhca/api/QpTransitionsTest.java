package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every move of every type against a list written out here, from ibv_modify_qp(3). */
class QpTransitionsTest {
    private static final Set<QpState> STATES = EnumSet.complementOf(EnumSet.of(QpState.UNKNOWN));
    private static final String RC_AND_UC = "RESET>INIT INIT>INIT INIT>RTR RTR>RTS RTS>RTS RTS>SQD SQD>SQD SQD>RTS";
    private static final String UC_AND_UD = " SQE>RTS";

    @Test
    void exactlyTheListedMovesAreLegal() {
        for (final QpType type : EnumSet.of(QpType.RC, QpType.UC, QpType.UD)) {
            final String legal = " " + RC_AND_UC + (type == QpType.RC ? "" : UC_AND_UD) + " ";
            for (final QpState from : STATES) {
                for (final QpState to : STATES) {
                    final boolean expected = to == QpState.RESET
                            || to == QpState.ERR
                            || legal.contains(" " + from + ">" + to + " ");
                    assertThat(QpTransitions.isLegal(type, from, to))
                            .as(type + " " + from + " to " + to)
                            .isEqualTo(expected);
                    assertThat(QpTransitions.judge(type, from, to, -1).isEmpty())
                            .as("every attribute at once: " + type + " " + from + " to " + to)
                            .isFalse();
                }
            }
        }
    }

    @Test
    void rcNeedsWhatTheManualSays() {
        assertThat(QpTransitions.required(QpType.RC, QpState.RESET, QpState.INIT))
                .isEqualTo(QpAttrMask.PKEY_INDEX | QpAttrMask.PORT | QpAttrMask.ACCESS_FLAGS);
        assertThat(QpTransitions.required(QpType.RC, QpState.INIT, QpState.RTR))
                .isEqualTo(QpAttrMask.AV | QpAttrMask.PATH_MTU | QpAttrMask.DEST_QPN | QpAttrMask.RQ_PSN
                        | QpAttrMask.MAX_DEST_RD_ATOMIC | QpAttrMask.MIN_RNR_TIMER);
        assertThat(QpTransitions.required(QpType.RC, QpState.RTR, QpState.RTS))
                .isEqualTo(QpAttrMask.TIMEOUT | QpAttrMask.RETRY_CNT | QpAttrMask.RNR_RETRY | QpAttrMask.SQ_PSN
                        | QpAttrMask.MAX_QP_RD_ATOMIC);
        assertThat(QpTransitions.required(QpType.UD, QpState.RESET, QpState.INIT))
                .isEqualTo(QpAttrMask.PKEY_INDEX | QpAttrMask.PORT | QpAttrMask.QKEY);
        assertThat(QpTransitions.required(QpType.UD, QpState.RTR, QpState.RTS)).isEqualTo(QpAttrMask.SQ_PSN);
    }

    @Test
    void theVerdictNamesWhatIsMissingAndWhatIsTooMuch() {
        assertThat(QpTransitions.judge(QpType.RC, QpState.RESET, QpState.RTS, QpAttrMask.STATE))
                .isEqualTo("a RC queue pair cannot go from RESET to RTS");
        assertThat(QpTransitions.judge(QpType.RC, QpState.RESET, QpState.INIT, QpAttrMask.STATE | QpAttrMask.PORT))
                .isEqualTo("going from RESET to INIT needs ACCESS_FLAGS, PKEY_INDEX");
        final int all = QpTransitions.required(QpType.RC, QpState.RESET, QpState.INIT);
        assertThat(QpTransitions.judge(QpType.RC, QpState.RESET, QpState.INIT, all | QpAttrMask.STATE)).isEmpty();
        assertThat(QpTransitions.judge(QpType.RC, QpState.RESET, QpState.INIT, all | QpAttrMask.QKEY))
                .isEqualTo("going from RESET to INIT does not allow QKEY");
    }
}
