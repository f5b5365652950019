package io.vhca.ras.error;

import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.recovery.BondError;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An error that a bond tells of, a row each: its code, which never changes and is never used again, what happened, why
 * it probably did, and what to do. Errors by which queue pairs fail have the code of their {@link BondError}; those
 * that a bond goes on from have 100 and more. docs/ERRORS.md has the table.
 */
public enum ErrorCode {
    NO_PATH(BondError.NO_PATH,
            "Queue pairs failed: no path to the peer came back within recovery_timeout",
            "links are down on one side or between, the peer's host is down, or its process has ended",
            "look at `vhca status` for members that are down, and at the peer; then connect again"),
    PEER_RESTARTED(BondError.PEER_RESTARTED,
            "Queue pairs failed: the peer does not know the session",
            "the peer's process ended and was started again",
            "connect again, and bring both sides to the same state"),
    COMMITTED_DATA_LOST(BondError.COMMITTED_DATA_LOST,
            "Queue pairs failed: data that was reported complete never arrived",
            "an adapter acknowledged it and died before it was in memory",
            "bring both sides to the same state; confirm = peer rules it out"),
    PROTOCOL_VIOLATION(BondError.PROTOCOL_VIOLATION,
            "Queue pairs failed: what the two bonds counted contradicts itself",
            "a defect of one of the bonds",
            "keep the traces and journals of both sides, note both versions, and report it"),
    DEVICE_ERROR(BondError.DEVICE_ERROR,
            "Queue pairs failed: a device refused a verb that recovery needs",
            "the device is out of objects or memory, or broken",
            "look at `vhca errors` for what it refused, and at `dmesg`"),
    PEER_FAILED(BondError.PEER_FAILED,
            "Queue pairs failed because the peer's had failed",
            "the reason is at the peer",
            "look at `vhca errors` there; then connect again"),
    WRITE_IN_DOUBT(BondError.WRITE_IN_DOUBT,
            "Queue pairs failed: nobody knows whether a WRITE was executed",
            "the path died behind it, and write_replay = fail forbids to write again",
            "look at the peer's memory; write_replay = replay, or a ledger, shortens the doubt"),
    ATOMIC_RESULT_LOST(BondError.ATOMIC_RESULT_LOST,
            "Queue pairs failed: an atomic was executed and its result is lost",
            "the path died between the two, and atomics = native",
            "look at the peer's memory; atomics = emulated executes each exactly once"),
    ATOMIC_IN_DOUBT(BondError.ATOMIC_IN_DOUBT,
            "Queue pairs failed: nobody knows whether an atomic was executed",
            "the path died behind it, and atomics = native",
            "look at the peer's memory; atomics = emulated executes each exactly once"),
    MEMORY_OVERRUN(BondError.MEMORY_OVERRUN.code(), Counter.MEMORY_OVERRUNS,
            "Somebody wrote beyond the native memory of queues; of a queue pair, it failed, and the others went on",
            "the application, or native code in its process, writes through a pointer that is wrong",
            "the text says which marker is broken and where; checks = full finds it at the next post"),

    OTHER(100, null,
            "Something failed that has no code of its own",
            "the text says it",
            "report it with the text and its stack: `vhca errors --stacks`"),
    MEMBER_VERB(101, Counter.MEMBER_ERRORS_IGNORED,
            "A call to a member failed where that changes nothing",
            "the member's device or link has just died, or its peer has just gone",
            "nothing, unless the same one comes again and again while the member is up"),
    DUTY_CYCLE(102, Counter.DUTY_CYCLE_ERRORS,
            "A turn of the bond's thread ended in an exception",
            "a defect of the bond; it goes on with its next turn",
            "keep the trace, and report it with the stack: `vhca errors --stacks`"),
    JOURNAL(103, Counter.JOURNAL_ERRORS,
            "The journal could not be written",
            "the disk is full, the directory cannot be written, or a flag of the JVM is missing",
            "make room or name another directory by `journal`; writing is tried again every second"),
    KEY_REFUSED(104, Counter.KEY_REFUSED,
            "A peer refuses this bond's requests over keys",
            "the two have not the same key, or only one of them has one",
            "give both the same auth_key_file and tell both by `vhca bond set`"),
    NO_PROOF(111, Counter.REQ_NO_PROOF,
            "A request without a proof was refused, for this bond has a key",
            "a peer without a key, or a stranger",
            "give the peer the key file, where it is one of yours"),
    BAD_PROOF(112, Counter.REQ_BAD_PROOF,
            "A request was refused whose proof does not hold",
            "a peer with another key, or somebody who changes or repeats requests",
            "give both the same key file; else find out who the sender is"),
    REPLAYED(113, Counter.REQ_REPLAYED,
            "A request was refused that had been taken before",
            "somebody who can listen repeats requests",
            "find out who the sender is; nothing was taken from it"),
    NO_KEY(114, Counter.REQ_NO_KEY,
            "A request with a proof was refused, for this bond has no key",
            "a peer that has a key",
            "give this bond the key file, by auth_key_file, and open it again"),
    FORGED(115, Counter.REQ_FORGED,
            "A request for a queue pair was refused that does not know its session",
            "somebody who does not know the connection, or a peer whose state is out of date",
            "find out who the sender is, where it comes again; auth_key_file keeps strangers out"),
    NOT_NAMED(116, Counter.REQ_NOT_NAMED,
            "A request with the right session was refused, for it came from an address that the peer has not named",
            "the peer got another address, or somebody read the session on the way",
            "name the peer's addresses by `peer.ADDRESS`, where it is one of yours; else set auth_key_file"),
    STRANGER(117, Counter.REQ_STRANGER,
            "A request for the bonds' own connection was refused, for no peer has a member at its address",
            "a peer whose queue pairs are gone already, or a stranger",
            "find out who the sender is, where it comes again; auth_key_file keeps strangers out"),
    REPEATED(118, Counter.REQ_REPEATED,
            "A request for a connection of the bonds' own was refused that the peer has enough of, or had before",
            "somebody who can listen repeats requests, or a peer loses its connections again and again",
            "find out who the sender is, where it comes again; auth_key_file keeps strangers out"),
    ANSWER_BAD_PROOF(119, Counter.ANSWER_BAD_PROOF,
            "An answer to a request of this bond was dropped that does not prove to be the peer's",
            "a peer with another key, or somebody who answers in its place",
            "give both the same key file; else find out who the sender is"),
    APPLICATION(120, null,
            "A queue pair failed for a reason of the application's own, as it would on hardware",
            "a wrong key, address or length, at this end or the peer's",
            "the snapshot has the requests that were not done: `vhca snapshot list`"),
    MEMBER_DOWN(121, null,
            "A member of the bond went down or died",
            "its link, its cable, the switch, or the device itself",
            "look at the port and the counters in the snapshot, and at `dmesg`"),
    LEAKS(122, null,
            "A bond was closed while the application had objects of it open",
            "the application does not close what it makes; the snapshot names each, with the line that made it where"
                    + " memory_trace = site",
            "close it there; `vhca memory` shows the same while the application runs"),
    STUCK(123, Counter.THREADS_STUCK,
            "A thread stayed inside the bond for longer than stuck_ms",
            "it waits for a lock or a queue that another one has, a member's driver does not return, or it has no"
                    + " processor",
            "look at its stack, `vhca errors --stacks`, and at who else is inside: `vhca threads`"),
    POST_REFUSED(124, Counter.POSTS_REFUSED,
            "A post was refused for what stands in it; told where checks = full",
            "the application posts what its queue pair was not made for, or in a state that takes none",
            "the text says which request of the chain and which field; `vhca errors --stacks` has the line that posts");

    private static final String PREFIX = "VHCA-";
    private static final Pattern CODE = Pattern.compile(PREFIX + "(\\d{4})(?!\\d)");
    private static final Map<Counter, ErrorCode> BY_COUNTER = new EnumMap<>(Counter.class);

    static {
        for (final ErrorCode code : values()) {
            if (code.counter != null) {
                BY_COUNTER.put(code.counter, code);
            }
        }
    }

    private final int number;
    private final @Nullable Counter counter;
    private final String what;
    private final String cause;
    private final String action;

    ErrorCode(final BondError error, final String what, final String cause, final String action) {
        this(error.code(), null, what, cause, action);
    }

    ErrorCode(
            final int number, final @Nullable Counter counter, final String what, final String cause,
            final String action) {
        this.number = number;
        this.counter = counter;
        this.what = what;
        this.cause = cause;
        this.action = action;
    }

    /** The code of an error that is counted so. */
    public static ErrorCode of(final Counter counter) {
        return BY_COUNTER.getOrDefault(counter, OTHER);
    }

    /** The code of what queue pairs fail by. */
    public static ErrorCode of(final BondError error) {
        return numbered(error.code());
    }

    private static ErrorCode numbered(final int number) {
        return Arrays.stream(values()).filter(code -> code.number == number).findFirst().orElse(OTHER);
    }

    /** The code that a text begins with; {@link #OTHER} where it begins with none that this version knows. */
    public static ErrorCode inText(final String text) {
        final Matcher found = CODE.matcher(text);
        return found.lookingAt() ? numbered(Integer.parseInt(found.group(1))) : OTHER;
    }

    /** As it is shown: {@code VHCA-0103}. */
    public String text() {
        return PREFIX + String.format(Locale.ROOT, "%04d", number);
    }

    /** What happened. */
    public String what() {
        return what;
    }

    /** Why it probably did. */
    public String probableCause() {
        return cause;
    }

    /** What to do. */
    public String action() {
        return action;
    }

    /** The table of docs/ERRORS.md. */
    public static List<String> table() {
        final List<String> lines = new java.util.ArrayList<>(
                List.of("| code | what happened | why, probably | what to do |", "|---|---|---|---|"));
        for (final ErrorCode code : values()) {
            lines.add("| " + code.text() + " | " + code.what + " | " + code.cause + " | " + code.action + " |");
        }
        return lines;
    }
}
