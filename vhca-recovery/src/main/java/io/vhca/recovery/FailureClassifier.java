package io.vhca.recovery;

import io.vhca.api.WcStatus;
import io.vhca.recovery.wire.FailureReason;

/** Tells which completion statuses mean that the path failed, and which are the application's own errors. */
public final class FailureClassifier {
    private FailureClassifier() {}

    /**
     * The class of a completion.
     *
     * @param status the completion's
     * @param vendorErr the completion's; a peer or lower bond's own codes ({@link BondError#fromVendorErr}) are final
     * and pass through
     * @param portActive whether the member's port was ACTIVE and its device alive when the completion was polled
     */
    public static FailureClass classify(final WcStatus status, final int vendorErr, final boolean portActive) {
        if (status != WcStatus.SUCCESS && BondError.fromVendorErr(vendorErr) != null) {
            return FailureClass.PASS_THROUGH; // a bond over a bond: the lower one has done what could be done
        }
        return switch (status) {
            case SUCCESS -> FailureClass.SUCCESS;
            case WR_FLUSH_ERR -> FailureClass.NEVER_A_CAUSE;
            case RETRY_EXC_ERR -> FailureClass.FAIL_OVER;
            case LOC_LEN_ERR, LOC_PROT_ERR, LOC_ACCESS_ERR, MW_BIND_ERR, REM_ACCESS_ERR, REM_INV_REQ_ERR, REM_OP_ERR,
                    RNR_RETRY_EXC_ERR ->
                    FailureClass.PASS_THROUGH;
            case LOC_QP_OP_ERR, RESP_TIMEOUT_ERR, FATAL_ERR, GENERAL_ERR ->
                    portActive ? FailureClass.DOUBTFUL : FailureClass.FAIL_OVER;
            case LOC_EEC_OP_ERR, BAD_RESP_ERR, LOC_RDD_VIOL_ERR, REM_INV_RD_REQ_ERR, REM_ABORT_ERR, INV_EECN_ERR,
                    INV_EEC_STATE_ERR, TM_ERR,
                    TM_RNDV_INCOMPLETE, UNKNOWN -> FailureClass.DOUBTFUL;
        };
    }

    /** The reason to journal for a recovery that {@link #classify} asks for. */
    public static FailureReason reason(final WcStatus status) {
        return status == WcStatus.RETRY_EXC_ERR ? FailureReason.RETRY_EXC : FailureReason.LOCAL_QP_ERROR;
    }
}
