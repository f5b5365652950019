package io.vhca.bond.trace;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The events that can be traced. Each is one number, a constant that costs nobody a look at this class:
 *
 * <pre>
 *   31   24 23       16 15         0
 *   | level | component |  number  |
 * </pre>
 *
 * <p>With each goes the object and four words; {@link #text} has how they read. A number is never used again for
 * another event. In a text {@code {0}} is the first word in decimal, {@code {0:hex}} the same in hexadecimal, {@code
 * {0:NAME}} by the name that a table has for it, {@code {2:text}} the ASCII letters of this word and all behind it.
 */
public final class TraceEventDescriptor {
    private static final int ERROR = 1 << 24;
    private static final int EVENT = 2 << 24;
    private static final int DETAIL = 3 << 24;
    private static final int POST = 1 << 16;
    private static final int POLL = 2 << 16;
    private static final int QP = 3 << 16;
    private static final int CQ = 4 << 16;
    private static final int MR = 5 << 16;
    private static final int CM = 6 << 16;
    private static final int RECOVERY = 7 << 16;
    private static final int PLACEMENT = 8 << 16;
    private static final int DATAGRAM = 9 << 16;
    private static final int VERBS = 10 << 16;
    private static final int MEMORY = 11 << 16;
    private static final int CONTROL = 12 << 16;
    private static final int SOFT_ENGINE = 13 << 16;
    private static final int SOFT_CM = 14 << 16;

    /** A chain of sends was taken. */
    public static final int POSTED_SEND = DETAIL | POST | 1;
    /** A chain of receives was taken. */
    public static final int POSTED_RECV = DETAIL | POST | 2;
    /** The first request of a chain was refused. */
    public static final int POST_REFUSED = DETAIL | POST | 3;
    /** A completion was given to the application. */
    public static final int POLLED = DETAIL | POLL | 1;
    public static final int QP_CREATED = EVENT | QP | 1;
    public static final int QP_STATE = EVENT | QP | 2;
    public static final int QP_CLOSED = EVENT | QP | 3;
    public static final int CQ_CREATED = EVENT | CQ | 1;
    public static final int CQ_CLOSED = EVENT | CQ | 2;
    public static final int MR_REGISTERED = EVENT | MR | 1;
    public static final int MR_CLOSED = EVENT | MR | 2;
    public static final int CM_EVENT = EVENT | CM | 1;
    /** A vQP's recovery goes from one state to another, or something else worth telling happened in it. */
    public static final int RECOVERY_STEP = EVENT | RECOVERY | 1;
    /** The peer's counts were applied. */
    public static final int RECOVERY_COUNTS = EVENT | RECOVERY | 2;
    /** It ended well. */
    public static final int RECOVERED = EVENT | RECOVERY | 3;
    /** The vQP failed for good. */
    public static final int RECOVERY_FAILED = ERROR | RECOVERY | 4;
    /** A vQP has a connection that stands by. */
    public static final int STANDBY_READY = EVENT | RECOVERY | 5;
    /** It has ended, or was not made; nobody has taken it. */
    public static final int STANDBY_LOST = EVENT | RECOVERY | 6;
    /** A recovery of this side asks to take it. */
    public static final int STANDBY_ASKED = EVENT | RECOVERY | 7;
    /** What bonds say of connections that stand by can be said over one path. */
    public static final int CHANNEL_READY = EVENT | RECOVERY | 8;
    public static final int CHANNEL_OVER = EVENT | RECOVERY | 9;
    /** Requests of a vQP do not complete: the peer is asked over its path and over another one. */
    public static final int PATH_ASKED = EVENT | RECOVERY | 10;
    /** What is known now. */
    public static final int PATH_DEAD = EVENT | RECOVERY | 11;
    public static final int PATH_NOT_DEAD = EVENT | RECOVERY | 12;
    public static final int MEMBER_CHANGED = EVENT | PLACEMENT | 1;
    public static final int MEMBER_ACTIVE = EVENT | PLACEMENT | 2;
    public static final int DATAGRAM_MOVED = EVENT | DATAGRAM | 1;
    /** Something failed where the bond goes on. */
    public static final int FAILED = ERROR | VERBS | 1;
    public static final int MEMORY_ALLOCATED = EVENT | MEMORY | 1;
    public static final int MEMORY_FREED = EVENT | MEMORY | 2;
    /** Somebody wrote beyond a part of it. */
    public static final int MEMORY_OVERRUN = ERROR | MEMORY | 3;
    public static final int CONTROL_CONNECTED = EVENT | CONTROL | 1;
    public static final int CONTROL_CLOSED = EVENT | CONTROL | 2;
    /** A device retransmits, refuses or drops: as many as packets at worst. */
    public static final int SOFT_ENGINE_STEP = DETAIL | SOFT_ENGINE | 1;
    public static final int SOFT_CM_MESSAGE = EVENT | SOFT_CM | 1;

    private static final Map<Integer, String> TEXTS = Map.ofEntries(
            Map.entry(POSTED_SEND, "posted {2} sends, first wr_id={0:hex} {3:wr_opcode}, last is #{1}"),
            Map.entry(POSTED_RECV, "posted {2} receives, first wr_id={0:hex}, last is #{1}"),
            Map.entry(POST_REFUSED, "refused a request, wr_id={0:hex}: errno {1}"),
            Map.entry(POLLED, "completed wr_id={0:hex} {1:wc_opcode} {2:wc_status}, {3} bytes"),
            Map.entry(QP_CREATED, "created, {0:qp_type}, {1} sends and {2} receives"),
            Map.entry(QP_STATE, "{0:qp_state} -> {1:qp_state}"),
            Map.entry(QP_CLOSED, "closed, {0} sends and {1} receives done"),
            Map.entry(CQ_CREATED, "created, {0} entries"),
            Map.entry(CQ_CLOSED, "closed"),
            Map.entry(MR_REGISTERED, "registered {1} bytes at {0:hex}, access {2:hex}"),
            Map.entry(MR_CLOSED, "closed"),
            Map.entry(CM_EVENT, "event {0:cm_event}, status {1}"),
            Map.entry(RECOVERY_STEP, "{0:journal_kind} {1:recovery} -> {2:recovery}, {3:failure}"),
            Map.entry(RECOVERY_COUNTS, "own received {0}, peer received {1}, negotiated {2}, replayed {3}"),
            Map.entry(RECOVERED, "recovered in {0} ns after {1:failure}, negotiated {2}, replayed {3}"),
            Map.entry(RECOVERY_FAILED, "failed after {0} ns: {3:bond_error}, after {1:failure}, epoch {2}"),
            Map.entry(STANDBY_READY, "a connection stands by on member {0}, number {1}"),
            Map.entry(STANDBY_LOST, "no connection stands by on member {0}, number {1}"),
            Map.entry(STANDBY_ASKED, "asks over what stands by on member {0}, number {1}"),
            Map.entry(CHANNEL_READY, "the bonds' connection on member {0} stands, opened here: {1}"),
            Map.entry(CHANNEL_OVER, "the bonds' connection on member {0} is over, opened here: {1}"),
            Map.entry(PATH_ASKED, "request {0} does not complete, the peer is asked over member {1} and another one"),
            Map.entry(PATH_DEAD, "the path over member {1} is dead, as answers say"),
            Map.entry(PATH_NOT_DEAD, "the path over member {1} is not dead, as far as answers say"),
            Map.entry(MEMBER_CHANGED, "{0:member_change}, {1:failure}: {2:text}"),
            Map.entry(MEMBER_ACTIVE, "active: {0:text}"),
            Map.entry(DATAGRAM_MOVED, "lives on {0:text}"),
            Map.entry(FAILED, "failed: {0:text}"),
            Map.entry(MEMORY_ALLOCATED, "allocated {0} bytes at {1:hex}"),
            Map.entry(MEMORY_FREED, "freed {0} bytes at {1:hex}"),
            Map.entry(MEMORY_OVERRUN, "overrun, of the {0} bytes at {1:hex}"),
            Map.entry(CONTROL_CONNECTED, "connected to the peer's bond, {0} messages wait"),
            Map.entry(CONTROL_CLOSED, "closed, {0} messages were not sent"),
            Map.entry(SOFT_ENGINE_STEP, "{0:device_step}, physical qp {1:hex}, psn {2}"),
            Map.entry(SOFT_CM_MESSAGE, "{0:device_step} {1:cm_message}, communication ids {2:hex}"));

    private TraceEventDescriptor() {}

    /** How an event reads, or null where this version knows none of that number. */
    public static @Nullable String text(final int event) {
        return TEXTS.get(event);
    }

    /** The code of the event's {@link TraceLevel}. */
    public static int level(final int event) {
        return event >>> 24;
    }

    /** The code of the event's {@link TraceComponent}. */
    public static int component(final int event) {
        return event >>> 16 & 0xFF;
    }

    /** True for what every request or completion tells: its time may be that of the one before. */
    public static boolean isOfDataPath(final int event) {
        return component(event) <= POLL >>> 16;
    }
}
