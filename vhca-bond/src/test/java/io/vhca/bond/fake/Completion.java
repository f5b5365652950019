package io.vhca.bond.fake;

import io.vhca.api.NativeMemory;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcStatus;

/** A work completion by value. */
public record Completion(
        long wrId, int status, int opcode, int vendorErr, int byteLen, int immData, int qpNum, int srcQp, int flags) {

    /** Reads one from its native form. */
    static Completion read(final long at) {
        return new Completion(
                NativeMemory.getLong(at + WcDescriptor.WR_ID_OFFSET),
                NativeMemory.getInt(at + WcDescriptor.STATUS_OFFSET),
                NativeMemory.getInt(at + WcDescriptor.OPCODE_OFFSET),
                NativeMemory.getInt(at + WcDescriptor.VENDOR_ERR_OFFSET),
                NativeMemory.getInt(at + WcDescriptor.BYTE_LEN_OFFSET),
                NativeMemory.getInt(at + WcDescriptor.IMM_DATA_OFFSET),
                NativeMemory.getInt(at + WcDescriptor.QP_NUM_OFFSET),
                NativeMemory.getInt(at + WcDescriptor.SRC_QP_OFFSET),
                NativeMemory.getInt(at + WcDescriptor.WC_FLAGS_OFFSET));
    }

    void write(final long at) {
        NativeMemory.putLong(at + WcDescriptor.WR_ID_OFFSET, wrId);
        NativeMemory.putInt(at + WcDescriptor.STATUS_OFFSET, status);
        NativeMemory.putInt(at + WcDescriptor.OPCODE_OFFSET, opcode);
        NativeMemory.putInt(at + WcDescriptor.VENDOR_ERR_OFFSET, vendorErr);
        NativeMemory.putInt(at + WcDescriptor.BYTE_LEN_OFFSET, byteLen);
        NativeMemory.putInt(at + WcDescriptor.IMM_DATA_OFFSET, immData);
        NativeMemory.putInt(at + WcDescriptor.QP_NUM_OFFSET, qpNum);
        NativeMemory.putInt(at + WcDescriptor.SRC_QP_OFFSET, srcQp);
        NativeMemory.putInt(at + WcDescriptor.WC_FLAGS_OFFSET, flags);
    }

    /** The name of its status. */
    public WcStatus statusName() {
        return WcStatus.fromCode(status);
    }

    /** What most tests look at: {@code 7 SUCCESS}. */
    public String text() {
        return wrId + " " + statusName();
    }
}
