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
}
