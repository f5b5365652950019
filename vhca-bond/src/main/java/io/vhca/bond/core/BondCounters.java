package io.vhca.bond.core;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.recovery.wire.Agreement;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RejectCode;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;

/** What a bond counts. Written by the control thread, read by any. */
public final class BondCounters {
    /** Whoever has more addresses than this is only counted: he fills no more than a third of an error log of 64 KB. */
    private static final int MOST_TOLD = 64;
    /** Of more errors in one turn than these the rest is only counted, but for memory that was overrun. */
    private static final int MOST_KEPT = 64;

    private final AtomicLongArray values = new AtomicLongArray(Counter.values().length);
    private volatile @Nullable BondEvents events;
    private final Set<String> told = new HashSet<>();
    private final ManyToOneConcurrentArrayQueue<Kept> kept = new ManyToOneConcurrentArrayQueue<>(2 * MOST_KEPT);

    /** An error that was counted and is to be told. */
    private record Kept(Counter counter, Throwable error) {}

    /** One sentence each; the order is the index. */
    public enum Counter {
        /** Recoveries that began. A connection that is made for the first time, or closed, is none. */
        FAILOVERS,
        /** Recoveries that ended healthy. */
        RECOVERED,
        /** Those of {@link #FAILOVERS} that were moves as planned: nothing had failed. */
        MOVES,
        /** Those of {@link #MOVES} that ended healthy. */
        MOVED,
        /** Connections that have stood by, whatever became of them. */
        STANDBY_MADE,
        /** Those that were closed because a queue pair needed their room, or an operator allowed fewer. */
        STANDBY_GIVEN_UP,
        /** Recoveries that went over a connection which stood by. */
        STANDBY_TAKEN,
        /** vQPs that failed for good. */
        FAILED,
        /** Requests completed by negotiation. */
        NEGOTIATED,
        /** Requests posted again. */
        REPLAYED,
        /** Times that requests did not complete for so long that the peer was asked whether the path carries. */
        PATHS_SUSPECTED,
        /** Those after which the path was left. */
        PATHS_LOST,
        /** REQs whose private data is no record of a bond. */
        REQ_GARBAGE,
        /** Connections with peers without the bond: over one member, and without recovery. */
        UNPROTECTED,
        /** The same that ended with the member or its path. */
        UNPROTECTED_LOST,
        /** REQs of a bond of another version. */
        REQ_BAD_VERSION,
        /** REQs for a vQP whose session they do not know. */
        REQ_FORGED,
        /** REQs for a session that this bond does not have. */
        REQ_UNKNOWN_SESSION,
        /** REQs that show a session, from an address that the peer's bond has not named. */
        REQ_NOT_NAMED,
        /** REQs for a connection of the bonds' own, from who is no peer's member. */
        REQ_STRANGER,
        /** REQs for a connection of the bonds' own that a peer has enough of, or had before. */
        REQ_REPEATED,
        /** First REQs refused because as many wait for the application's answer as may; they may come again. */
        REQ_FULL,
        /** First REQs of strangers that the application had not taken, whose place another took. */
        REQ_DROPPED,
        /** REQs that only ask: whether a path carries, or where a vQP for datagrams lives. Peers ask as well. */
        REQ_QUESTION,
        /** REQs without a proof, to a bond that has a key. */
        REQ_NO_PROOF,
        /** REQs whose proof does not hold: of another key, repeated from elsewhere, or changed on their way. */
        REQ_BAD_PROOF,
        /** REQs that open a connection, and did so before. */
        REQ_REPLAYED,
        /** REQs with a proof, to a bond without a key. */
        REQ_NO_KEY,
        /** REQs of bonds that were told what to sign with: of each peer's start the first, and those repeated later. */
        REQ_CHALLENGED,
        /** Answers that do not prove to be the peer's. */
        ANSWER_BAD_PROOF,
        /** Peers' refusals over keys. */
        KEY_REFUSED,
        /** Messages of a peer's bond that do not prove to be. */
        CONTROL_BAD_PROOF,
        /** Messages of a peer's bond that make no sense. */
        CONTROL_GARBAGE,
        /** Messages of a newer peer's bond, of a kind that this one does not know: answered so. */
        CONTROL_UNKNOWN,
        /** Answers of peers' bonds that do not know a kind of message, which they are sent no more. */
        CONTROL_NOT_KNOWN,
        /** First connections with bonds that write records of an older version. */
        PEER_OLDER,
        /** The same of a newer version; that they are understood by their known part. */
        PEER_NEWER,
        /** Calls to a member that failed where failure changes nothing. */
        MEMBER_ERRORS_IGNORED,
        /** Turns of the bond's thread, and calls of observers, that ended in an exception: defects of the bond. */
        DUTY_CYCLE_ERRORS,
        /** Objects whose native memory somebody wrote beyond. */
        MEMORY_OVERRUNS,
        /** Posts that were refused for what stands in them, where {@code checks = full}. */
        POSTS_REFUSED,
        /** Threads that stayed inside the bond for longer than the option {@code stuck_ms} says. */
        THREADS_STUCK,
        /** Times that the journal began to fail, or failed at open. */
        JOURNAL_ERRORS,
        /** Events that the journal lost because it could not be written. */
        JOURNAL_LOST,
        /** Errors that are not in the error log because it is full. */
        ERRORS_LEFT_OUT,
        /** Senders of datagrams to a vQP that were forgotten for others, and shown by their physical number since. */
        SENDERS_FORGOTTEN
    }

    /** The value now. */
    public long get(final Counter counter) {
        return values.get(counter.ordinal());
    }

    public void add(final Counter counter, final long amount) {
        values.addAndGet(counter.ordinal(), amount);
    }

    /** Where errors are told besides. */
    public void tellErrors(final BondEvents listening) {
        events = listening;
    }

    /** A member's refusal that leads to the same end anyhow; the message is not worth a log line each. */
    public void ignored(final RuntimeException error) {
        happened(Counter.MEMBER_ERRORS_IGNORED, error);
    }

    /**
     * A member refused something: its device is dead, and the event of that is still on the way. No more comes of it.
     *
     * @throws VerbsException the same one, where it is anything but EIO
     */
    public void ignoredOfDead(final VerbsException error) {
        if (error.errno() != Errno.EIO) {
            throw error;
        }
        ignored(error);
    }

    /** An error of the kind that the counter counts. */
    public void happened(final Counter counter, final Throwable error) {
        add(counter, 1);
        tell(counter, error);
    }

    private void tell(final Counter counter, final Throwable error) {
        final BondEvents told = events;
        if (told != null) {
            told.error(counter, error);
        }
    }

    /**
     * The same inside a queue's gate: counted at once, and told by {@link #tellKept}, as who is told may call what the
     * gate guards. Any thread.
     */
    void keep(final Counter counter, final Throwable error) {
        add(counter, 1);
        // That an object's memory was overrun is told once: a flood of refused posts leaves it room.
        if (counter == Counter.MEMORY_OVERRUNS || kept.size() < MOST_KEPT) {
            kept.offer(new Kept(counter, error));
        }
    }

    /** Whether errors are still to be told. */
    boolean hasKept() {
        return !kept.isEmpty();
    }

    /** Tells what was found inside gates. Control lock, and no gate. */
    void tellKept() {
        kept.drain(one -> tell(one.counter, one.error), 2 * MOST_KEPT);
    }

    /** A REQ is refused, or an answer to one dropped; of each address it is told once why. Control thread. */
    public void refused(final Counter why, final InetAddress from) {
        add(why, 1);
        tell(
                why,
                why + " " + from.getHostAddress(),
                what(why, from.getHostAddress()) + why + sentence(why));
    }

    private static String what(final Counter why, final String from) {
        return why == Counter.ANSWER_BAD_PROOF
                ? "an answer from " + from + " to a request of this bond is dropped: "
                : "a request from " + from + " is refused: ";
    }

    private static String sentence(final Counter why) {
        return switch (why) {
            case REQ_NO_PROOF -> "; this bond has a key (auth_key_file) and the request none";
            case REQ_NO_KEY -> "; the request is signed by a key and this bond has none (auth_key_file)";
            case REQ_BAD_PROOF -> "; it is signed by none of this bond's keys (auth_key_file), or it was repeated or"
                    + " changed on its way";
            case REQ_REPLAYED -> "; it was taken before, and somebody repeats it";
            case REQ_FORGED -> "; it does not know the session of the queue pair that it is for";
            case REQ_NOT_NAMED -> "; it knows the session, and the peer's bond has not named that address"
                    + " (peer.ADDRESS)";
            case REQ_STRANGER -> "; it is for the bonds' own connection, and no peer has a member there";
            case REQ_REPEATED -> "; it is for a connection of the bonds' own that the peer has enough of, or had"
                    + " before";
            case ANSWER_BAD_PROOF -> "; it does not prove to be the peer's (auth_key_file)";
            default -> "";
        };
    }

    /** A peer and this bond have not the same key; of each peer it is told once. Control thread. */
    public void keyRefused(final RejectCode code, final InetAddress by) {
        add(Counter.KEY_REFUSED, 1);
        tell(
                Counter.KEY_REFUSED,
                code + " " + by.getHostAddress(),
                "requests to " + by.getHostAddress() + " are refused: " + switch (code) {
                    case NO_KEY -> "this bond has a key and the peer's bond has none; give both the same auth_key_file";
                    case KEY_REQUIRED ->
                        "the peer's bond has a key and this one has none; give both the same auth_key_file";
                    default -> "the keys of this bond and the peer's are not the same; give both the same"
                            + " auth_key_file, and tell both by `vhca bond set`";
                });
    }

    private void tell(final Counter kind, final String once, final String what) {
        final BondEvents listening = events;
        if (listening != null && told.size() < MOST_TOLD && told.add(once)) {
            listening.error(kind, new RefusedPeerException(what));
        }
    }

    /**
     * A connection with a peer's bond begins, which has said its version.
     *
     * @param own of the records that this bond writes
     */
    public void met(final RecordType type, final Agreement agreement, final int own) {
        if (type == RecordType.FIRST && agreement.version() != own) {
            add(agreement.version() < own ? Counter.PEER_OLDER : Counter.PEER_NEWER, 1);
        }
    }

    public void badRequest(final DecodeResult verdict) {
        add(verdict == DecodeResult.BAD_VERSION ? Counter.REQ_BAD_VERSION : Counter.REQ_GARBAGE, 1);
    }

    public static RejectCode rejectCode(final DecodeResult verdict) {
        return verdict == DecodeResult.BAD_VERSION ? RejectCode.BAD_VERSION : RejectCode.GARBAGE;
    }
}
