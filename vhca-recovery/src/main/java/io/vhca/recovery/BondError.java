package io.vhca.recovery;

import io.vhca.api.WcStatus;
import org.jspecify.annotations.Nullable;

/**
 * Why a vQP failed for good. The first unfinished work request completes with {@link #status()} and {@link
 * #vendorErr()}, the rest with WR_FLUSH_ERR, in order, on both queues.
 */
public enum BondError {
    /** No path to the peer came back within recovery_timeout; check links and the peer, then connect again. */
    NO_PATH(1, WcStatus.RETRY_EXC_ERR,
            "no path to the peer within recovery_timeout; check links and peer, connect again"),
    /** The peer does not know the session: it restarted and its state is gone; connect again and resynchronise. */
    PEER_RESTARTED(2, WcStatus.REM_ABORT_ERR,
            "the peer restarted and lost the session; connect again and resynchronise"),
    /**
     * The peer received less than the application was told: an HCA acked data and lost it; use confirm=peer against it.
     */
    COMMITTED_DATA_LOST(3, WcStatus.FATAL_ERR,
            "data that was reported complete never arrived; resynchronise, and set confirm=peer to rule it out"),
    /** The peer's counts or records contradict ours: a defect or another version; compare the two journals. */
    PROTOCOL_VIOLATION(4, WcStatus.FATAL_ERR, "the peer's counts contradict ours; compare both journals and versions"),
    /** A device refused what recovery needs and no other member could do it; see the error log of the device. */
    DEVICE_ERROR(5, WcStatus.GENERAL_ERR, "the device refused a verb that recovery needs; see its error log"),
    /** The peer's vQP has failed; its journal has the reason; connect again. */
    PEER_FAILED(7, WcStatus.REM_ABORT_ERR, "the peer's virtual queue pair failed; see its journal, connect again"),
    /** A WRITE may or may not have been executed, and write_replay=fail forbids to write again; look at the memory. */
    WRITE_IN_DOUBT(8, WcStatus.RESP_TIMEOUT_ERR,
            "nobody knows whether the WRITE was executed, and write_replay=fail; look at the peer's memory"),
    /** A native atomic was executed and its result did not arrive; look at the memory, or use atomics=emulated. */
    ATOMIC_RESULT_LOST(9, WcStatus.RESP_TIMEOUT_ERR,
            "the atomic was executed and its result is lost; look at the memory, or set atomics=emulated"),
    /** A native atomic may or may not have been executed; look at the memory, or use atomics=emulated. */
    ATOMIC_IN_DOUBT(10, WcStatus.RESP_TIMEOUT_ERR,
            "nobody knows whether the atomic was executed; look at the memory, or set atomics=emulated"),
    /** Somebody wrote beyond the native memory of the queue pair's queues: find who does, then connect again. */
    MEMORY_OVERRUN(11, WcStatus.FATAL_ERR,
            "the memory of its queues was overrun by somebody in the process; the snapshot says where");

    /** Upper half of every vendor error code of the bond: "VH". */
    public static final int VENDOR_ERR_BASE = 0x5648_0000;

    private static final @Nullable BondError[] BY_CODE = new BondError[11 + 1];

    static {
        for (final BondError value : values()) {
            if (BY_CODE[value.code] != null) {
                throw new ExceptionInInitializerError("code used twice: " + value);
            }
            BY_CODE[value.code] = value;
        }
    }

    private final int code;
    private final WcStatus status;
    private final String meaning;

    BondError(final int code, final WcStatus status, final String meaning) {
        this.code = code;
        this.status = status;
        this.meaning = meaning;
    }

    /** The stable code, 1 and up. */
    public int code() {
        return code;
    }

    /** Completion status of the first unfinished work request. */
    public WcStatus status() {
        return status;
    }

    /** {@code vendor_err} of the first unfinished work request: {@link #VENDOR_ERR_BASE} plus the code. */
    public int vendorErr() {
        return VENDOR_ERR_BASE | code;
    }

    /** Whether it is told as the application's error where it is found: then no report of a failover tells it again. */
    public boolean isToldWhereFound() {
        return this == MEMORY_OVERRUN;
    }

    /** What happened and what to do, one sentence without a full stop. */
    public String meaning() {
        return meaning;
    }

    /** The error for a code, or null where this version knows none. */
    public static @Nullable BondError fromCode(final int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }

    /** The error that a completion's {@code vendor_err} names, or null where it is not the bond's. */
    public static @Nullable BondError fromVendorErr(final int vendorErr) {
        return (vendorErr & 0xFFFF_0000) == VENDOR_ERR_BASE ? fromCode(vendorErr & 0xFFFF) : null;
    }
}
