package com.ibm.disni.rdma.verbs.impl;

import io.vhca.disni.DisniDispatcher;
import java.io.IOException;

/**
 * The class of this name in DiSNI 1.x, without a native library: it stands before DiSNI's jar on the class path, or
 * takes that class's place by {@link io.vhca.disni.DisniAgent}. Any thread.
 */
public class NativeDispatcher extends DisniDispatcher {
    NativeDispatcher() {}

    public int _bindAddr(final long id, final long address) throws IOException {
        bindAddr(id, address);
        return 0;
    }

    public int _listen(final long id, final int backlog) throws IOException {
        listen(id, backlog);
        return 0;
    }

    public int _resolveAddr(final long id, final long source, final long destination, final int timeoutMs)
            throws IOException {
        resolveAddr(id, destination, timeoutMs);
        return 0;
    }

    public int _resolveRoute(final long id, final int timeoutMs) throws IOException {
        resolveRoute(id, timeoutMs);
        return 0;
    }

    public int _connect(
            final long id, final int retries, final int rnrRetries, final long dataAddress, final byte dataBytes)
            throws IOException {
        connect(id, retries, rnrRetries, dataAddress, dataBytes);
        return 0;
    }

    public int _accept(final long id, final int retries, final int rnrRetries) throws IOException {
        accept(id, retries, rnrRetries);
        return 0;
    }

    public int _deregMr(final long region) throws IOException {
        deregMr(region);
        return 0;
    }

    public int _postSend(final long qp, final long wr) throws IOException {
        postSend(qp, wr);
        return 0;
    }

    public int _postRecv(final long qp, final long wr) throws IOException {
        postRecv(qp, wr);
        return 0;
    }
}
