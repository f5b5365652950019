package io.vhca.api.cm;

/** Port space of an id ({@code enum rdma_port_space}). */
public enum CmPortSpace {
    /** Reliable connections. */
    TCP(0x0106),
    /** Unreliable datagrams: service id resolution instead of connections. */
    UDP(0x0111);

    private final int code;

    CmPortSpace(final int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** Largest private data of an accept. */
    public int maxAcceptPrivateData() {
        return this == TCP
                ? ConnectParameters.MAX_REP_PRIVATE_DATA
                : ConnectParameters.MAX_SIDR_REP_PRIVATE_DATA;
    }

    /** Largest private data of a reject. */
    public int maxRejectPrivateData() {
        return this == TCP
                ? ConnectParameters.MAX_REJ_PRIVATE_DATA
                : ConnectParameters.MAX_SIDR_REP_PRIVATE_DATA;
    }
}
