package io.vhca.recovery.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.proof.AuthKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** docs/WIRE.md has the fields that the descriptors have. */
class WireDocumentTest {
    private static final Path DOCUMENT = Path.of(System.getProperty("basedir", "."), "..", "docs", "WIRE.md");

    /** The first cells of each row below a heading, joined by a space. */
    private static List<String> rows(final String heading, final int cells) throws IOException {
        final List<String> found = new ArrayList<>();
        boolean inside = false;
        boolean isBelowRule = false;
        for (final String line : Files.readAllLines(DOCUMENT)) {
            if (line.startsWith("#")) {
                inside = line.equals("### " + heading);
                isBelowRule = false;
            } else if (inside && line.startsWith("|--")) {
                isBelowRule = true;
            } else if (inside && isBelowRule && line.startsWith("|")) {
                final String[] parts = line.substring(2).split(" *\\| *", cells + 1);
                found.add(String.join(" ", List.of(parts).subList(0, cells)));
            }
        }
        return found;
    }

    private static String row(final int offset, final int size, final String field) {
        return offset + " " + size + " " + field;
    }

    private static String row(final int offset, final String field) {
        return offset + " - " + field;
    }

    @Test
    void thePrefix() throws IOException {
        assertThat(rows("prefix", 3)).containsExactly(
                row(PrefixDescriptor.MAGIC_OFFSET, Short.BYTES, "magic"),
                row(PrefixDescriptor.VERSION_OFFSET, Byte.BYTES, "version"),
                row(PrefixDescriptor.TYPE_OFFSET, Byte.BYTES, "type"));
        assertThat(Files.readString(DOCUMENT)).contains(String.format(Locale.ROOT, "0x%04X", PrefixDescriptor.MAGIC))
                .contains(PrefixDescriptor.MAX_REQ_SIZE + " bytes of private data in a REQ, "
                        + PrefixDescriptor.MAX_REP_SIZE + " in a REP, " + PrefixDescriptor.MAX_REJ_SIZE + " in a REJ")
                .contains("\n| " + PrefixDescriptor.VERSION + " | `features`");
    }

    @Test
    void everyTypeHasAHeading() throws IOException {
        final String all = Files.readString(DOCUMENT);
        for (final RecordType type : RecordType.values()) {
            assertThat(all).containsPattern("(?m)^###.*\\b" + type + " \\(" + type.code() + "\\)");
        }
    }

    @Test
    void requests() throws IOException {
        assertThat(rows("FIRST (1), CONTROL (5), PROBE (8)", 3)).containsExactly(
                row(ConnectDescriptor.SESSION_OFFSET, SessionIdDescriptor.SIZE, "session"),
                row(ConnectDescriptor.SENDER_OFFSET, SenderDescriptor.SIZE, "sender"),
                row(ConnectDescriptor.SIZE, "application data"));
        final List<String> session = List.of(
                row(RequestDescriptor.RESERVED_OFFSET, Short.BYTES, "reserved"),
                row(RequestDescriptor.REASON_OFFSET, Short.BYTES, "reason"),
                row(RequestDescriptor.SESSION_OFFSET, SessionIdDescriptor.SIZE, "session"),
                row(RequestDescriptor.SENDER_OFFSET, SenderDescriptor.SIZE, "sender"),
                row(RequestDescriptor.TARGET_OFFSET, Integer.BYTES, "target"),
                row(RequestDescriptor.EPOCH_OFFSET, Integer.BYTES, "epoch"),
                row(RequestDescriptor.ANSWER_TIMEOUT_OFFSET, Integer.BYTES, "answer timeout"),
                row(RequestDescriptor.RECEIVED_OFFSET, Long.BYTES, "received"));
        assertThat(rows("RECOVER (2), CLOSE (3), STANDBY (10), CHANNEL (11)", 3))
                .startsWith(session.toArray(new String[0]))
                .endsWith(row(RequestDescriptor.LEDGER_OFFSET, Long.BYTES, "ledger")).hasSize(9);
        assertThat(rows("OOB (4)", 3)).startsWith(session.toArray(new String[0]))
                .endsWith(row(RequestDescriptor.INSTANCE_OFFSET, Long.BYTES, "instance")).hasSize(9);
        assertThat(rows("DATAGRAM (9)", 3)).containsExactly(
                row(DatagramDescriptor.INSTANCE_OFFSET, Long.BYTES, "instance"),
                row(DatagramDescriptor.SENDER_OFFSET, SenderDescriptor.SIZE, "sender"),
                row(DatagramDescriptor.FLAGS_OFFSET, Integer.BYTES, "flags, pQPN"),
                row(DatagramDescriptor.MEMBER_COUNT_OFFSET, Integer.BYTES, "members, target"),
                row(DatagramDescriptor.MEMBER_LIST_OFFSET, "member list"));
        assertThat(Files.readString(DOCUMENT))
                .contains("8 bits: CALL " + DatagramRecord.CALL + ", LAST " + DatagramRecord.LAST
                        + ", in a SIDR_REQ AGAIN " + DatagramRecord.AGAIN + ";");
    }

    @Test
    void answers() throws IOException {
        assertThat(rows("REPLY (6)", 3)).containsExactly(
                row(ReplyDescriptor.SESSION_OFFSET, SessionIdDescriptor.SIZE, "session"),
                row(ReplyDescriptor.SENDER_OFFSET, SenderDescriptor.SIZE, "sender"),
                row(ReplyDescriptor.INSTANCE_OFFSET, Long.BYTES, "instance"),
                row(ReplyDescriptor.EPOCH_OFFSET, Integer.BYTES, "epoch"),
                row(ReplyDescriptor.RECEIVED_OFFSET, Long.BYTES, "received"),
                row(ReplyDescriptor.LEDGER_OFFSET, Long.BYTES, "ledger"),
                row(ReplyDescriptor.FEATURES_OFFSET, Short.BYTES, "features"),
                row(ReplyDescriptor.MEMBER_COUNT_OFFSET, Byte.BYTES, "members"),
                row(ReplyDescriptor.APP_LENGTH_OFFSET, Byte.BYTES, "application length"),
                row(ReplyDescriptor.MEMBER_LIST_OFFSET, ReplyDescriptor.MEMBER_LIST_SIZE, "member list"),
                row(ReplyDescriptor.APP_DATA_OFFSET, "application data"));
        assertThat(rows("REJECT (7)", 3)).containsExactly(
                row(RejectDescriptor.CODE_OFFSET, Short.BYTES, "code"),
                row(RejectDescriptor.APP_LENGTH_OFFSET, Byte.BYTES, "application length"),
                row(RejectDescriptor.RESERVED_OFFSET, Byte.BYTES, "reserved"),
                row(RejectDescriptor.SESSION_OFFSET, SessionIdDescriptor.SIZE, "session"),
                row(RejectDescriptor.EPOCH_OFFSET, Integer.BYTES, "epoch"),
                row(RejectDescriptor.APP_DATA_OFFSET, "application data"));
    }

    @Test
    void whereAProofIs() throws IOException {
        assertThat(rows("proof", 3)).containsExactly(
                "FIRST, CONTROL " + ConnectDescriptor.SIZE + " " + AuthKey.PROOF_SIZE,
                "RECOVER, CLOSE, STANDBY, CHANNEL " + RequestDescriptor.SESSION_OFFSET + " " + AuthKey.PROOF_SIZE,
                "OOB " + RequestDescriptor.SESSION_OFFSET + " " + Long.BYTES,
                "REPLY " + ReplyDescriptor.SESSION_OFFSET + " " + AuthKey.PROOF_SIZE,
                "REJECT " + RejectDescriptor.SESSION_OFFSET + " " + AuthKey.PROOF_SIZE);
    }

    @Test
    void howMuchRoomIsLeft() throws IOException {
        assertThat(Files.readString(DOCUMENT)).contains(
                String.format(
                        Locale.ROOT, "| FIRST | %d, %d with a proof | 0: %d are the application's, %d with a proof |",
                        ConnectDescriptor.SIZE, ConnectDescriptor.SIZE + SealedRecord.PROOF_SIZE,
                        ConnectDescriptor.MAX_APPLICATION_DATA, SealedRecord.MAX_APPLICATION_DATA),
                String.format(
                        Locale.ROOT, "| RECOVER, CLOSE, STANDBY, CHANNEL | %d | %d;",
                        RequestDescriptor.SIZE, PrefixDescriptor.MAX_REQ_SIZE - RequestDescriptor.SIZE),
                String.format(
                        Locale.ROOT, "| REPLY to others | %d | %d,",
                        ReplyDescriptor.APP_DATA_OFFSET,
                        PrefixDescriptor.MAX_REP_SIZE - ReplyDescriptor.APP_DATA_OFFSET),
                String.format(
                        Locale.ROOT, "| REJECT with another code | %d | %d |",
                        RejectDescriptor.APP_DATA_OFFSET,
                        PrefixDescriptor.MAX_REJ_SIZE - RejectDescriptor.APP_DATA_OFFSET));
    }
}
