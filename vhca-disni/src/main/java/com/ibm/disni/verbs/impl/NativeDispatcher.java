package com.ibm.disni.verbs.impl;

import io.vhca.disni.DisniDispatcher;
import java.io.IOException;

/**
 * The class of this name in DiSNI 2.x, without a native library: it stands before DiSNI's jar on the class path, or
 * takes that class's place by {@link io.vhca.disni.DisniAgent}. Any thread.
 */
public class NativeDispatcher extends DisniDispatcher {
    NativeDispatcher() {}

    public void _bindAddr(final long id, final long address) throws IOException {
        bindAddr(id, address);
    }

    public void _listen(final long id, final int backlog) throws IOException {
        listen(id, backlog);
    }

    public void _resolveAddr(final long id, final long source, final long destination, final int timeoutMs)
            throws IOException {
        resolveAddr(id, destination, timeoutMs);
    }

    public void _resolveRoute(final long id, final int timeoutMs) throws IOException {
        resolveRoute(id, timeoutMs);
    }

    public void _connect(
            final long id, final int retries, final int rnrRetries, final long dataAddress, final byte dataBytes)
            throws IOException {
        connect(id, retries, rnrRetries, dataAddress, dataBytes);
    }

    public void _accept(final long id, final int retries, final int rnrRetries) throws IOException {
        accept(id, retries, rnrRetries);
    }

    public void _deregMr(final long region) throws IOException {
        deregMr(region);
    }

    public void _postSend(final long qp, final long wr) throws IOException {
        postSend(qp, wr);
    }

    public void _postRecv(final long qp, final long wr) throws IOException {
        postRecv(qp, wr);
    }
}
