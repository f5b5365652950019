package io.vhca.bond.datagram;

import io.vhca.bond.verbs.BondAddressHandle;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * One vQP that another sends datagrams to, named by the handle of a vAH and a vQPN, and where it lives as far as is
 * known: the physical handle and number to put into requests. Written by the control thread inside the send queue's
 * gate, read by posts inside it.
 *
 * <pre>
 *   UNKNOWN --asked--> ASKING --answered--> READY --the own vQP moved--> UNKNOWN
 *                        `------nobody knows it--> LOST --answered later-> READY
 * </pre>
 */
public final class Destination {
    private static final long ASK_AGAIN_NS = 100_000_000L;

    private final BondAddressHandle ah;
    private final int qpNum;
    private State state = State.UNKNOWN;
    private long physicalHandle;
    private int physicalQpNum;
    private boolean isUsed;
    private long instance;
    private @Nullable InetAddress at;
    private @Nullable DestinationQuery ask;
    private long lostNs;
    /** Questions in a row that nobody answered. */
    private int vain;

    private enum State {
        UNKNOWN,
        ASKING,
        READY,
        LOST
    }

    Destination(final BondAddressHandle ah, final int qpNum) {
        this.ah = ah;
        this.qpNum = qpNum;
    }

    // ---- posts, inside the gate -----------------------------------------------------------------------------------

    boolean isFor(final long handle, final int wantedQpNum) {
        return ah.handle() == handle && qpNum == wantedQpNum;
    }

    public boolean isReady() {
        return state == State.READY;
    }

    public long physicalHandle() {
        return physicalHandle;
    }

    public int physicalQpNum() {
        return physicalQpNum;
    }

    public void used() {
        isUsed = true;
    }

    // ---- control lock -----------------------------------------------------------------------------------------------

    BondAddressHandle ah() {
        return ah;
    }

    int qpNum() {
        return qpNum;
    }

    /** What is known of where it lives, in words. */
    String describe() {
        final InetAddress place = at;
        return "0x" + Integer.toHexString(qpNum) + " by handle 0x" + Long.toHexString(ah.handle()) + ", " + state
                + (place == null || state != State.READY ? ""
                        : " at " + place.getHostAddress() + ", physical qpn 0x" + Integer.toHexString(physicalQpNum));
    }

    /** True where it is the vQP of that bond. */
    boolean is(final long ofInstance, final int wantedQpNum) {
        return instance == ofInstance && qpNum == wantedQpNum;
    }

    /** True where another handle for its bond was told where the same vQP is. */
    boolean isKnownTo(final Destination other) {
        return other.isReady()
                && other.qpNum == qpNum
                && other.at != null
                && mayBeAt(other.instance, other.at);
    }

    /**
     * Whether that bond is the one that it is on, and has a member there as far as is known. Whose bond it is takes one
     * look, who may be there a walk through all bonds: of many destinations of one number most are on other bonds.
     */
    private boolean mayBeAt(final long ofInstance, final InetAddress address) {
        return isOf(ofInstance, address) && ah.addresses().contains(address);
    }

    /** Whether a bond that answers from there is the one that it is on: that of its address, or who answered before. */
    boolean isOf(final long ofInstance, final InetAddress from) {
        return instance == ofInstance || ah.leadsTo(ofInstance, from);
    }

    /** The bond that answered for it, 0 for none yet. */
    long instance() {
        return instance;
    }

    @Nullable InetAddress at() {
        return at;
    }

    /** True where it may be that vQP, which is at that address: no bond has answered for it yet. */
    boolean mayBe(final DatagramName peer, final InetAddress address) {
        return instance == 0 && qpNum == peer.qpNum() && mayBeAt(peer.instance(), address);
    }

    boolean isAsking() {
        return ask != null;
    }

    /** True while datagrams wait for an answer: the first one. */
    boolean isAwaited() {
        return state == State.ASKING;
    }

    /** The question that waits for its turn; null where there is none, or it has begun. */
    @Nullable DestinationQuery unbegun() {
        return ask == null || ask.isBegun() ? null : ask;
    }

    /** True when it is to be asked for: never yet, or in vain and some time ago. */
    boolean isDue(final long nowNs) {
        return ask == null && (state == State.UNKNOWN || state == State.LOST && nowNs - lostNs >= ASK_AGAIN_NS);
    }

    /** Whether it was sent to since this was asked last. */
    boolean takeUsed() {
        final boolean was = isUsed;
        isUsed = false;
        return was;
    }

    /** How many questions nobody has answered since somebody did, or the own vQP moved. */
    int vain() {
        return vain;
    }

    /** The question is on its way; meanwhile datagrams go where they went, or are lost as before. */
    void asking(final DestinationQuery question) {
        ask = question;
        if (state == State.UNKNOWN) {
            state = State.ASKING;
        }
    }

    /** It moved while it was asked for: datagrams wait for that answer. */
    void askedYet() {
        final DestinationQuery question = ask;
        if (question != null) {
            question.hurry();
        }
        state = State.ASKING;
    }

    /** Answered. */
    void found(final long ofInstance, final InetAddress address, final int number, final long handle) {
        ask = null;
        instance = ofInstance;
        at = address;
        physicalQpNum = number;
        physicalHandle = handle;
        vain = 0;
        state = State.READY;
    }

    /**
     * It was not met, and nobody says that it is gone: datagrams go where they went, or are lost, and it is asked for
     * again.
     *
     * @param wasHeard its bond answered over some path
     */
    void unmet(final boolean wasHeard, final long nowNs) {
        vain += wasHeard ? 0 : 1;
        if (isReady()) {
            ask = null;
        } else {
            lost(nowNs);
        }
    }

    /** Its bond says that there is none of that number. */
    void gone(final long nowNs) {
        vain = 0;
        lost(nowNs);
    }

    /** It says itself where it lives, while it is asked for. */
    void heard(final DatagramRoutes.Heard word, final long nowNs) {
        final DestinationQuery question = ask;
        if (question != null) {
            question.heard(word, nowNs);
        }
    }

    /** Nobody knows it, or nothing can be sent there. */
    void lost(final long nowNs) {
        ask = null;
        lostNs = nowNs;
        state = State.LOST;
    }

    /** Whether what datagrams are sent by, or that nobody knows it, is not what the peer's bond says now. */
    boolean isElsewhere(final InetAddress address, final int number) {
        final boolean isAsKnown = physicalQpNum == number && address.equals(at);
        return state == State.READY ? !isAsKnown : state == State.LOST && ask == null;
    }

    /** Nobody waits for the answer any more. */
    void cancel() {
        final DestinationQuery question = ask;
        ask = null;
        if (question != null) {
            question.cancel();
        }
    }

    /** The own vQP lives elsewhere, or nowhere: it must be asked for from there. */
    void forget() {
        vain = 0;
        state = State.UNKNOWN;
    }

    /**
     * It says itself that it is elsewhere: what it was known by is of no use any more, and datagrams wait for the
     * answer. Not where the last answers took too long, or none came: they are lost as before until there is one.
     */
    void moved() {
        if (isReady() || vain == 0) {
            forget();
        }
    }
}
