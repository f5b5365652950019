package io.vhca.bond.trace;

import java.util.Locale;

/**
 * What a traced event is about, in one long: its kind in the upper half, its number in the lower. Written {@code
 * qp:0x12}. Pure.
 */
public final class TraceObject {
    /** About no object of its own. */
    public static final long NONE = 0;

    private static final String[] KINDS = {"-", "qp", "cq", "mr", "member", "srq"};
    private static final int QP = 1;
    private static final int CQ = 2;
    private static final int MR = 3;
    private static final int MEMBER = 4;
    private static final int SRQ = 5;

    private TraceObject() {}

    private static long of(final int kind, final int number) {
        return (long) kind << Integer.SIZE | Integer.toUnsignedLong(number);
    }

    /** A vQP, by its number. */
    public static long qp(final int qpNum) {
        return of(QP, qpNum);
    }

    /** A vCQ; the first that a bond has made is 1. */
    public static long cq(final int number) {
        return of(CQ, number);
    }

    /** A vMR, by its key. */
    public static long mr(final int key) {
        return of(MR, key);
    }

    /** A vSRQ; the first that a bond has made is 1. */
    public static long srq(final int number) {
        return of(SRQ, number);
    }

    /** A member, by its index. */
    public static long member(final int index) {
        return of(MEMBER, index);
    }

    /** As it is written; what no version has written reads as it can. */
    public static String text(final long object) {
        final int kind = (int) (object >>> Integer.SIZE);
        if (object == NONE) {
            return KINDS[0];
        }
        final String number = "0x" + Integer.toHexString((int) object);
        return (kind > 0 && kind < KINDS.length ? KINDS[kind] : "kind" + Integer.toUnsignedString(kind)) + ":"
                + number;
    }

    /**
     * The object that a text names.
     *
     * @throws IllegalArgumentException where it names none, with what is allowed
     */
    public static long parse(final String text) {
        final int colon = text.indexOf(':');
        for (int kind = QP; kind < KINDS.length; kind++) {
            if (colon > 0 && text.substring(0, colon).toLowerCase(Locale.ROOT).equals(KINDS[kind])) {
                return of(kind, number(text, text.substring(colon + 1)));
            }
        }
        throw new IllegalArgumentException(
                "\"" + text + "\" is no object; write qp:0x12, cq:1, mr:0x3, member:0 or srq:1");
    }

    private static int number(final String text, final String digits) {
        try {
            return digits.startsWith("0x")
                    ? Integer.parseUnsignedInt(digits.substring(2), 16)
                    : Integer.parseUnsignedInt(digits);
        } catch (final NumberFormatException e) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" has no number behind the colon; write it in decimal, or as 0x12", e);
        }
    }
}
