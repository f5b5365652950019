package io.vhca.bond.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.wire.ChannelMessageDescriptor;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** docs/WIRE.md has the messages that the descriptor has, where it has them. */
class ControlDocumentTest {
    private static final Path DOCUMENT = Path.of(System.getProperty("basedir", "."), "..", "docs", "WIRE.md");

    /** By what stands in the document: type, field. */
    private static final Map<String, Integer> OFFSETS = Map.ofEntries(
            Map.entry("all 16 session, with a key a hash of it", ControlMessageDescriptor.SESSION_HI_OFFSET),
            Map.entry("WORD 8 address", ControlMessageDescriptor.WORD_ADDRESS_OFFSET),
            Map.entry("WORD 4 virtual key", ControlMessageDescriptor.WORD_KEY_OFFSET),
            Map.entry("ASK_ATOMIC 8 sequence", ControlMessageDescriptor.SEQUENCE_OFFSET),
            Map.entry("ASK_ATOMIC 4 opcode", ControlMessageDescriptor.OPCODE_OFFSET),
            Map.entry("ASK_ATOMIC 4 virtual key", ControlMessageDescriptor.ATOMIC_KEY_OFFSET),
            Map.entry("ASK_ATOMIC 8 address", ControlMessageDescriptor.ATOMIC_ADDRESS_OFFSET),
            Map.entry("ASK_ATOMIC 8 compare, or add", ControlMessageDescriptor.COMPARE_ADD_OFFSET),
            Map.entry("ASK_ATOMIC 8 swap", ControlMessageDescriptor.SWAP_OFFSET),
            Map.entry("ATOMIC_DONE 8 sequence", ControlMessageDescriptor.SEQUENCE_OFFSET),
            Map.entry("ATOMIC_DONE 4 status", ControlMessageDescriptor.STATUS_OFFSET),
            Map.entry("ATOMIC_DONE 8 value before", ControlMessageDescriptor.BEFORE_OFFSET),
            Map.entry("COUNTS 8 received", ControlMessageDescriptor.RECEIVED_OFFSET),
            Map.entry("COUNTS 8 ledger", ControlMessageDescriptor.LEDGER_OFFSET));

    private static List<String[]> rows(final String heading) throws IOException {
        final List<String> lines = Files.readAllLines(DOCUMENT);
        final int begin = lines.indexOf("### " + heading);
        assertThat(begin).as(heading).isNotNegative();
        return lines.subList(begin + 1, lines.size()).stream()
                .takeWhile(line -> !line.startsWith("#"))
                .filter(line -> line.startsWith("|"))
                .skip(2)
                .map(line -> line.substring(2).split(" *\\| *"))
                .toList();
    }

    @Test
    void theMessagesOverAPath() throws IOException {
        assertThat(rows("over a path"))
                .extracting(row -> row[0] + " " + row[1] + " " + row[2])
                .containsExactly(
                        ChannelMessageDescriptor.KIND_OFFSET + " 1 kind",
                        "1 1 reserved",
                        ChannelMessageDescriptor.LENGTH_OFFSET + " 2 length",
                        ChannelMessageDescriptor.TARGET_OFFSET + " 4 target",
                        ChannelMessageDescriptor.NUMBER_OFFSET + " 4 number",
                        "12 4 reserved",
                        ChannelMessageDescriptor.RECORD_OFFSET + " - record");
        assertThat(Files.readString(DOCUMENT))
                .contains("at most " + ChannelMessageDescriptor.MAX_SIZE + " bytes each, from either side")
                .contains("of at most " + ChannelMessageDescriptor.MAX_WORD_SIZE + " bytes and for one vQP each");
        assertThat(rows("over a path").getFirst()[4])
                .startsWith(ChannelMessageDescriptor.ASK + " ASK,")
                .contains(ChannelMessageDescriptor.ACCEPT + " ACCEPT,")
                .contains(ChannelMessageDescriptor.CONFIRM + " CONFIRM,")
                .contains(ChannelMessageDescriptor.REJECT + " REJECT,");
    }

    @Test
    void theTypes() throws IOException, ReflectiveOperationException {
        int last = 0;
        for (final String[] row : rows("types")) {
            final int type = Integer.parseInt(row[0]);
            final Field constant = ControlMessageDescriptor.class.getDeclaredField(row[1]);
            assertThat(constant.getInt(null)).as(row[1]).isEqualTo(type).isEqualTo(last + 1);
            assertThat(row[2]).as("since").isEqualTo(type <= ControlMessageDescriptor.LAST_OF_FIRST ? "1" : "2");
            assertThat(ControlMessageDescriptor.isOfQp(type))
                    .as(row[1]).isEqualTo(row.length > 4 && row[4].equals("of one vQP"));
            last = type;
        }
        assertThat(last).isEqualTo(ControlMessageDescriptor.NOT_KNOWN);
    }

    @Test
    void theOffsets() throws IOException {
        assertThat(rows("every message")).extracting(row -> row[0]).containsExactly(
                "" + ControlMessageDescriptor.TYPE_OFFSET, "" + ControlMessageDescriptor.VALUE_OFFSET,
                "" + ControlMessageDescriptor.BODY_OFFSET);
        assertThat(rows("of one vQP")).hasSize(OFFSETS.size());
        for (final String[] row : rows("of one vQP")) {
            assertThat(OFFSETS).containsEntry(row[0] + " " + row[2] + " " + row[3], Integer.parseInt(row[1]));
        }
        assertThat(Files.readString(DOCUMENT))
                .contains("at most " + ControlMessageDescriptor.MAX_SIZE + " bytes each")
                .contains(ControlMessageDescriptor.QP_MESSAGE_SIZE + " bytes, whatever the type");
    }
}
