package io.vhca.harness.drill;

/** The sender's part of {@link SideTraffic}, in a thread of its own. */
interface SideJob {
    /** What a verdict begins with that is none to be happy with. */
    String WRONG = "WRONG: ";

    /** One round: posts what may be posted, takes what came; true when there was anything. */
    boolean doWork();

    /** Begins nothing new. Any thread. */
    void stop();

    /** After {@link #stop}: everything is done and compared. */
    boolean isFinished();

    /** Once it is finished: what went right, as a sentence without full stop; after {@link #WRONG}, what did not. */
    String verdict();
}
