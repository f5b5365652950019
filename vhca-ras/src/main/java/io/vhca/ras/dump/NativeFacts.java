package io.vhca.ras.dump;

import io.vhca.bond.memory.FrozenMemory;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.ras.snapshot.Report;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a report says of a block of native memory, so that its bytes can be told apart:
 *
 * <pre>
 *   [qp:0x12 native memory]
 *   block = 4608 bytes at 0x7f0012345000, raw at 64, of bond0, number 0x12
 *   part vSQ = 4096 bytes at 0x7f0012345040, each 256, data from 192
 *   vSQ retired = 7
 * </pre>
 *
 * @param object  its owner, as objects are named: qp:0x12
 * @param cursors by the part's tag and what they are
 */
record NativeFacts(
        String object, long address, int bytes, long rawAt, String owner, int number, List<NativeBlock.Part> parts,
        Map<String, Long> cursors) {
    static final String TITLE = " native memory";

    private static final String BLOCK = "block";
    private static final String PART = "part ";
    private static final int MOST_PARTS = 16;
    /** Each of the two queues of a block has six. */
    private static final int MOST_CURSORS = 64;
    private static final Pattern BLOCK_FORM = Pattern.compile(
            "(\\d{1,9}) bytes at 0x([0-9a-f]{1,16}), raw at (\\d{1,12}), of (\\S+), number 0x([0-9a-f]{1,8})");
    /** A tag stands in every line of its part. Ours have four letters at most. */
    private static final Pattern PART_NAME = Pattern.compile(PART + "(\\S{1,8})");
    private static final Pattern PART_FORM = Pattern.compile(
            "(\\d{1,9}) bytes at 0x([0-9a-f]{1,16}), each (\\d{1,9}), data from (\\d{1,9})");
    private static final Pattern CURSOR_FORM = Pattern.compile("\\d{1,18}");

    /** Writes it down. */
    static void tell(
            final FrozenMemory.Block block, final String bond, final long rawAt, final Report.Builder to) {
        to.section(object(block.owner()) + TITLE);
        to.value(BLOCK, block.copy() == null ? "left out" : String.format(
                Locale.ROOT, "%d bytes at 0x%x, raw at %d, of %s, number 0x%x", block.block().bytes(),
                block.block().address(), rawAt, bond, block.block().number()));
        for (final NativeBlock.Part part : block.block().parts()) {
            to.value(PART + part.tag(), String.format(
                    Locale.ROOT, "%d bytes at 0x%x, each %d, data from %d", part.bytes(), part.address(), part.unit(),
                    part.dataAt()));
        }
        block.cursors().forEach(cursor -> to.value(cursor.name(), cursor.value()));
    }

    /** {@code bond0 qp 0x12} is named qp:0x12 in a report. */
    static String object(final String owner) {
        final String name = owner.substring(owner.indexOf(' ') + 1);
        return name.startsWith("qp ") ? "qp:" + name.substring(3) : name;
    }

    /** What a section says, of whoever wrote it; null where that is nothing of native memory that is there. */
    static @Nullable NativeFacts parse(final Report.Section section) {
        final Matcher block = BLOCK_FORM.matcher(section.get(BLOCK));
        if (!section.title().endsWith(TITLE) || !block.matches()) {
            return null;
        }
        final List<NativeBlock.Part> parts = new ArrayList<>();
        final Map<String, Long> cursors = new HashMap<>();
        for (final Report.Fact fact : section.facts()) {
            final Matcher name = PART_NAME.matcher(fact.name());
            final Matcher part = PART_FORM.matcher(fact.value());
            if (parts.size() < MOST_PARTS && name.matches() && part.matches()) {
                parts.add(new NativeBlock.Part(
                        name.group(1), address(part.group(2)), Long.parseLong(part.group(1)),
                        Math.max(1, Integer.parseInt(part.group(3))), Integer.parseInt(part.group(4))));
            } else if (cursors.size() < MOST_CURSORS && CURSOR_FORM.matcher(fact.value()).matches()) {
                cursors.putIfAbsent(fact.name(), Long.parseLong(fact.value()));
            }
        }
        return new NativeFacts(
                section.title().substring(0, section.title().length() - TITLE.length()), address(block.group(2)),
                Integer.parseInt(block.group(1)), Long.parseLong(block.group(3)), block.group(4),
                Integer.parseUnsignedInt(block.group(5), 16), List.copyOf(parts), Map.copyOf(cursors));
    }

    private static long address(final String digits) {
        return Long.parseUnsignedLong(digits, 16);
    }

    /** A cursor of a part; 0 where there is none. */
    long cursor(final String name) {
        return cursors.getOrDefault(name, 0L);
    }
}
