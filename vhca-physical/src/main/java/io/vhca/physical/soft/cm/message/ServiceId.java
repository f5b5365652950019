package io.vhca.physical.soft.cm.message;

import io.vhca.api.cm.CmPortSpace;

/** Service ids of rdma_cm: port space in bits 16 .. 31, port in bits 0 .. 15 (annex A11.2). Pure; any thread. */
public final class ServiceId {
    private ServiceId() {}

    public static long of(final CmPortSpace space, final int port) {
        return (long) space.code() << 16 | port;
    }

    public static boolean isOf(final CmPortSpace space, final long serviceId) {
        return serviceId >>> 16 == space.code();
    }

    public static int port(final long serviceId) {
        return (int) serviceId & 0xffff;
    }
}
