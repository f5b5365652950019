package io.vhca.exs.engine;

/**
 * How many messages of each sort may be sent to the peer, and how many of its own are to be given back.
 *
 * <p>Data credits stand for DATA, ADVERT and WRITE with immediate, control credits for everything else, so that a peer
 * whose application does not receive still hears acknowledgements. A credit comes back when its receive is posted again
 * and, of data, when the application has taken it. The last control credit is kept for a message that gives at least
 * half of the peer's back: two ends that had used up all of theirs would wait for each other for ever.
 */
final class Credits {
    private final int dataOfPeer;
    private final int controlOfPeer;
    private final int dataGranted;
    private final int controlGranted;
    private int data;
    private int control;
    private int dataHeard; // received and not given back
    private int controlHeard;
    private int dataOwed; // of these, those that can be given back
    private int controlOwed;

    /** What the peer grants, and what is granted to it. */
    Credits(final int dataOfPeer, final int controlOfPeer, final int dataGranted, final int controlGranted) {
        this.dataOfPeer = dataOfPeer;
        this.controlOfPeer = controlOfPeer;
        this.dataGranted = dataGranted;
        this.controlGranted = controlGranted;
        data = dataOfPeer;
        control = controlOfPeer;
    }

    int data() {
        return data;
    }

    int control() {
        return control;
    }

    int dataOwed() {
        return dataOwed;
    }

    int controlOwed() {
        return controlOwed;
    }

    int dataHeard() {
        return dataHeard;
    }

    int controlHeard() {
        return controlHeard;
    }

    void takeData() {
        assert data > 0;
        data--;
    }

    void takeControl() {
        assert control > 0;
        control--;
    }

    /** Whether a control message may go out that leaves {@code spare} for more urgent ones, the last one aside. */
    boolean mayControl(final int spare) {
        return control > 1 + spare || control == 1 && spare == 0 && controlOwed * 2 >= controlGranted;
    }

    /** Whether enough is owed that a message must go out for nothing else. */
    boolean isMuchOwed() {
        return dataOwed > 0 && dataOwed * 2 >= dataGranted || controlOwed * 2 >= controlGranted;
    }

    /** A data message came; false when the peer had no credit for it. */
    boolean onData() {
        return dataHeard++ < dataGranted;
    }

    /** A control message came; false when the peer had no credit for it. */
    boolean onControl() {
        controlOwed++;
        return controlHeard++ < controlGranted;
    }

    /** What a data message took can be taken by the next one. */
    void dataDone() {
        dataOwed++;
        assert dataOwed <= dataHeard : dataOwed + " of " + dataHeard;
    }

    /** All that is owed was written into a message. */
    void returned() {
        dataHeard -= dataOwed;
        controlHeard -= controlOwed;
        dataOwed = 0;
        controlOwed = 0;
    }

    /** The peer gives back; false when that is more than it had. */
    boolean onReturn(final int dataBack, final int controlBack) {
        data += dataBack;
        control += controlBack;
        return data <= dataOfPeer && control <= controlOfPeer;
    }
}
