package io.vhca.harness.sim.core;

/** What a line of a history tells; {@code a} and {@code b} are the two numbers that come with it. */
public enum HistoryEvent {
    POST_SEND("post send, op a, chain of b"),
    POST_RECV("post receives up to number a"),
    SEND_DONE("send completion, op a, status b"),
    RECV_DONE("receive completion, number a, status b"),
    RECEIVED("message received, op a, b bytes"),
    CM_EVENT("cm event a, status b"),
    CM_CALL("cm call a, attempt b"),
    MODIFIED("queue pair brought on from stage a, life b"),
    ASYNC_EVENT("async event a, port b"),
    FAULT_START("fault a begins"),
    FAULT_HIT("fault a hits packet b"),
    FAULT_END("fault a ends"),
    POST_REFUSED("post refused, op a, result b"),
    PAUSED("moved to SQD before op a"),
    MISTAKE("op a is posted wrongly, mistake b"),
    EARLY_END("ends the connection under traffic, way a"),
    EXTRA_REQUEST("posts one request more, opcode a, key b"),
    EXTRA_REQUEST_DONE("that request completed, status a"),
    DATAGRAM_SENT("datagram a posted, from and to b"),
    DATAGRAM_RECEIVED("datagram a received, from and to b"),
    LIFE_OVER("life a is over, the next one begins"),
    CLOSED("closed");

    private final String label;

    HistoryEvent(final String label) {
        this.label = label;
    }

    /** The line's text with {@code a} and {@code b} as words of their own. */
    String label() {
        return label;
    }
}
