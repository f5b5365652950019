package io.vhca.ras.trace;

import io.vhca.api.DeviceStep;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEventType;
import io.vhca.bond.core.MemberChange;
import io.vhca.bond.trace.TraceComponent;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.trace.TraceLevel;
import io.vhca.bond.trace.TraceObject;
import io.vhca.ras.file.ShownText;
import io.vhca.recovery.BondError;
import io.vhca.recovery.JournalKind;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.FailureReason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Puts records into words, a line each:
 *
 * <pre>
 *   14:02:11.503127~ POST      detail qp:0x12    app-1            posted 1 sends, first wr_id=0x2a SEND, last is #7
 *   time, with ~ where it is that of the record before     object    thread     what happened
 * </pre>
 *
 * <p>Whatever is in a record, there is a line for it. Pure.
 */
public final class TraceText {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSS", Locale.ROOT);
    private static final Pattern FIELD = Pattern.compile("\\{([0-3])(?::([a-z_]+))?\\}");
    private static final long NS_A_MS = 1_000_000;

    /** Who has a name for a number; null where it is of no use as one. */
    private static final Map<String, IntFunction<@Nullable Object>> NAMES = Map.ofEntries(
            Map.entry("wr_opcode", WrOpcode::fromCode),
            Map.entry("wc_opcode", WcOpcode::fromCode),
            Map.entry("wc_status", WcStatus::fromCode),
            Map.entry("qp_type", QpType::fromCode),
            Map.entry("qp_state", QpState::fromCode),
            Map.entry("cm_event", CmEventType::fromCode),
            Map.entry("device_step", DeviceStep::fromCode),
            Map.entry("cm_message", TraceText::cmMessage),
            Map.entry("failure", FailureReason::fromCode),
            Map.entry("journal_kind", JournalKind::fromCode),
            Map.entry("recovery", RecoveryState::fromCode),
            Map.entry("bond_error", BondError::fromCode),
            Map.entry("member_change", TraceText::memberChange));

    private final TraceContent content;
    private final ZoneId zone;

    public TraceText(final TraceContent content, final ZoneId zone) {
        this.content = content;
        this.zone = zone;
    }

    /** The message of an attribute of the connection manager's class. */
    private static @Nullable Object cmMessage(final int attribute) {
        return switch (attribute) {
            case 0x10 -> "REQ";
            case 0x11 -> "MRA";
            case 0x12 -> "REJ";
            case 0x13 -> "REP";
            case 0x14 -> "RTU";
            case 0x15 -> "DREQ";
            case 0x16 -> "DREP";
            case 0x17 -> "SIDR_REQ";
            case 0x18 -> "SIDR_REP";
            case 0x19 -> "LAP";
            case 0x1A -> "APR";
            default -> null;
        };
    }

    private static @Nullable Object memberChange(final int ordinal) {
        final MemberChange[] all = MemberChange.values();
        return ordinal >= 0 && ordinal < all.length ? all[ordinal].text() : null;
    }

    /** One line, without the end of line. */
    public String line(final TraceRecord record) {
        final TraceComponent component = TraceComponent.fromCode(TraceEventDescriptor.component(record.event()));
        final TraceLevel level = TraceLevel.fromCode(TraceEventDescriptor.level(record.event()));
        final String thread = content.threads().getOrDefault(record.thread(), "");
        return String.format(
                Locale.ROOT,
                "%s%s %-9s %-6s %-11s %-16s %s",
                time(record.timeNs()),
                record.isExact() ? " " : "~",
                component == null ? "-" : component.text(),
                level == null ? "-" : level.text(),
                TraceObject.text(record.object()),
                thread.isEmpty() ? "thread " + Integer.toUnsignedString(record.thread()) : thread,
                what(record));
    }

    /** The time of day of a record. */
    String time(final long timeNs) {
        final long sinceNs = timeNs - content.nanoTime();
        final long nanos = Math.floorMod(sinceNs, NS_A_MS);
        // Damaged clocks must not be out of a calendar's range.
        final long ms = Math.floorMod(content.epochMs() + Math.floorDiv(sinceNs, NS_A_MS), Long.MAX_VALUE >> 20);
        return Instant.ofEpochMilli(ms).plusNanos(nanos).atZone(zone).format(TIME);
    }

    /** What happened. */
    static String what(final TraceRecord record) {
        final String text = TraceEventDescriptor.text(record.event());
        if (text == null) {
            return String.format(
                    Locale.ROOT, "event 0x%08x of another version: 0x%x 0x%x 0x%x 0x%x", record.event(),
                    record.word0(), record.word1(), record.word2(), record.word3());
        }
        return FIELD.matcher(text).replaceAll(field -> java.util.regex.Matcher.quoteReplacement(value(record, field)));
    }

    private static String value(final TraceRecord record, final MatchResult field) {
        final int index = Integer.parseInt(field.group(1));
        final long word = record.word(index);
        final String kind = field.group(2);
        if (kind == null) {
            return Long.toString(word);
        }
        return switch (kind) {
            case "hex" -> "0x" + Long.toHexString(word);
            case "text" -> letters(record, index);
            default -> {
                final IntFunction<@Nullable Object> names = NAMES.get(kind);
                final Object name = names == null || word != (int) word ? null : names.apply((int) word);
                yield name == null ? kind + " " + word : name.toString();
            }
        };
    }

    private static String letters(final TraceRecord record, final int from) {
        final ByteBuffer bytes = ByteBuffer.allocate(TraceFileDescriptor.WORDS * Long.BYTES);
        for (int i = from; i < TraceFileDescriptor.WORDS; i++) {
            bytes.putLong(record.word(i));
        }
        final String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
        final int end = text.indexOf('\0');
        return ShownText.line(end < 0 ? text : text.substring(0, end));
    }

    /** The word of a text that begins at a letter of it; as {@code {0:text}} reads it. */
    static long word(final String text, final int from) {
        long word = 0;
        for (int i = from; i < from + Long.BYTES; i++) {
            final char c = i < text.length() ? text.charAt(i) : '\0';
            word = word << Byte.SIZE | (c < 0x80 ? c : '?');
        }
        return word;
    }
}
