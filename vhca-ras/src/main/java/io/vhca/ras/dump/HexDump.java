package io.vhca.ras.dump;

import io.vhca.bond.memory.MarkerDescriptor;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.ras.snapshot.DumpHeader;
import io.vhca.ras.snapshot.Report;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The native memory in a dump, 16 bytes a line, with what begins there behind it: which marker, and whether it stands;
 * which slot of which queue, and which request is in it.
 *
 * <pre>
 *   0x7f0012345000  76 53 51 20 30 30 30 30  31 32 20 20 20 20 20 20  |vSQ 000012      |  marker before vSQ 000012
 *   0x7f0012345040  ...                                               |                |  vSQ[0], #8 waits
 * </pre>
 *
 * <p>Lines that repeat the one before are a star, but for those where something begins; of all blocks no more than
 * {@link #MOST_LINES} are shown, and no more bytes are looked at than a dump has at most. Pure.
 */
public final class HexDump {
    static final int MOST_LINES = 400_000;

    private static final int LINE = 16;
    private static final String TITLE = " hexdump";
    private static final String REPEATED = "*";

    private HexDump() {}

    /**
     * A section for each block of which the report tells.
     *
     * @param shown tells of the blocks; of the same dump
     */
    public static List<Report.Section> of(final DumpFile dump, final Report shown) throws IOException {
        final Report.Builder lines = Report.Builder.ofAll();
        long lookedAt = 0;
        int leftOut = 0;
        for (final Report.Section section : shown.sections()) {
            final NativeFacts facts = NativeFacts.parse(section);
            if (facts == null) {
                continue;
            }
            // A dump has each byte in one block. Stars are few lines, however often the same zeros are told of.
            if (lines.facts() + facts.bytes() / LINE > MOST_LINES || lookedAt + facts.bytes() > DumpHeader.MOST_RAW) {
                leftOut++;
            } else {
                lookedAt += facts.bytes();
                lines.section(facts.object() + TITLE);
                tell(facts, dump.raw(facts.rawAt(), facts.bytes()), lines);
            }
        }
        if (leftOut > 0) {
            lines.section("hexdumps left out");
            lines.value("blocks", leftOut + ", as they would be too much: name one object");
        }
        return lines.build().sections();
    }

    static void tell(final NativeFacts facts, final byte[] bytes, final Report.Builder to) {
        boolean isRepeated = false;
        for (int at = 0; at < bytes.length; at += LINE) {
            final int end = Math.min(bytes.length, at + LINE);
            final String margin = margin(facts, bytes, facts.address() + at);
            if (margin.isEmpty() && at >= LINE && Arrays.equals(bytes, at, end, bytes, at - LINE, at)) {
                if (!isRepeated) {
                    to.value(REPEATED, "");
                }
                isRepeated = true;
                continue;
            }
            isRepeated = false;
            to.value(String.format(Locale.ROOT, "0x%012x", facts.address() + at), line(bytes, at, end, margin));
        }
    }

    private static String line(final byte[] bytes, final int from, final int end, final String margin) {
        final StringBuilder hex = new StringBuilder();
        final StringBuilder text = new StringBuilder();
        for (int i = from; i < from + LINE; i++) {
            hex.append(i == from + LINE / 2 ? " " : "");
            hex.append(i < end ? String.format(Locale.ROOT, "%02x ", bytes[i]) : "   ");
            text.append(i < end && bytes[i] >= ' ' && bytes[i] < 0x7F ? (char) bytes[i] : '.');
        }
        return hex + " |" + text + "|" + (margin.isEmpty() ? "" : "  " + margin);
    }

    /** What begins at an address, in words; empty where nothing does. */
    private static String margin(final NativeFacts facts, final byte[] bytes, final long address) {
        for (final NativeBlock.Part part : facts.parts()) {
            if (address == part.marker(false) || address == part.marker(true)) {
                final boolean isEnd = address == part.marker(true);
                return "marker " + (isEnd ? "behind " : "before ")
                        + String.format(Locale.ROOT, "%s %06x", part.tag(), facts.number())
                        + (isWhole(facts, bytes, part, isEnd) ? "" : ": BROKEN");
            }
            final long in = address - part.address();
            if (in >= 0 && in < part.bytes() && in % part.unit() == 0) {
                return part.tag() + "[" + in / part.unit() + "]" + request(facts, part, in / part.unit());
            }
            if (in >= 0 && in < part.bytes() && in % part.unit() == part.dataAt()) {
                return "data of the application";
            }
        }
        return "";
    }

    private static boolean isWhole(
            final NativeFacts facts, final byte[] bytes, final NativeBlock.Part part, final boolean isEnd) {
        final byte[] whole = MarkerDescriptor.bytes(
                isEnd, part.tag(), facts.number(), facts.owner(), part.address(), part.bytes());
        final long at = part.marker(isEnd) - facts.address();
        return at >= 0 && at <= bytes.length - whole.length
                && Arrays.equals(bytes, (int) at, (int) at + whole.length, whole, 0, whole.length);
    }

    /** Which request is in a slot of a ring; nothing of parts that are none. */
    private static String request(final NativeFacts facts, final NativeBlock.Part part, final long slot) {
        final long slots = Math.max(1, part.bytes() / part.unit());
        final long retired = facts.cursor(part.tag() + " retired");
        final long producer = facts.cursor(part.tag() + " producer");
        final long sequence = retired + Math.floorMod(slot - retired, slots);
        if (sequence >= producer) {
            return "";
        }
        return ", #" + sequence
                + (sequence < facts.cursor(part.tag() + " posted") ? " at the hardware" : " waits");
    }
}
