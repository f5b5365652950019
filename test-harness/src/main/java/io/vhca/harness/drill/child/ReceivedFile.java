package io.vhca.harness.drill.child;

import io.vhca.api.NativeMemory;
import io.vhca.api.WcOpcode;
import io.vhca.api.WorkCompletion;
import io.vhca.harness.drill.protocol.DrillMessage;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** What arrived of a file: every sequence number judged, every byte counted and digested. One thread. */
public final class ReceivedFile {
    /** Answer of {@link #on} while the file goes on. */
    public static final long GOES_ON = -1;

    private final ArrivalCheck arrivals = new ArrivalCheck();
    private final MessageDigest digest;
    private long bytes;
    private long foreign;
    private boolean isOver;

    public ReceivedFile() throws NoSuchAlgorithmException {
        digest = MessageDigest.getInstance("SHA-256");
    }

    /**
     * Takes what arrived, if it is a message that arrived, and gives its receive back to the end.
     *
     * @return how many messages were sent when the sender says that this was all, else {@link #GOES_ON}
     */
    public long on(final DrillEnd end, final WorkCompletion wc) {
        if (wc.opcode() != WcOpcode.RECV.code()) {
            return GOES_ON;
        }
        if (isOver) {
            throw new IllegalStateException("a message of " + wc.byteLen() + " bytes came behind the end of the file");
        }
        long sent = GOES_ON;
        final long address = end.recvSlot(wc.wrId());
        switch (DrillMessage.kind(address, wc.byteLen())) {
            case DrillMessage.DATA -> {
                final int payload = wc.byteLen() - DrillMessage.HEADER_BYTES;
                arrivals.on(DrillMessage.sequence(address));
                digest.update(NativeMemory.segment(address + DrillMessage.HEADER_BYTES, payload)
                        .asByteBuffer());
                bytes += payload;
            }
            case DrillMessage.END -> sent = DrillMessage.sequence(address);
            default -> foreign++;
        }
        end.postReceive(wc.wrId());
        return sent;
    }

    public ArrivalCheck arrivals() {
        return arrivals;
    }

    public long bytes() {
        return bytes;
    }

    /** Messages that are none of the drill's. */
    public long foreign() {
        return foreign;
    }

    /** The digest of what came since it was last asked, in hex; bytes are counted anew from here. */
    public String digestAndRestart() {
        bytes = 0;
        return HexFormat.of().formatHex(digest.digest());
    }

    /** The sender has said that this was all, and was answered: {@link #on} throws where anything else arrives. */
    void over() {
        isOver = true;
    }
}
