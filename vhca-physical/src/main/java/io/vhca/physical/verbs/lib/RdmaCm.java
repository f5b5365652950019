package io.vhca.physical.verbs.lib;

import io.vhca.physical.ffm.CFunction;

/** The functions of librdmacm, by the C name less {@code rdma_}. */
public final class RdmaCm {
    public static final CFunction CREATE_EVENT_CHANNEL = Libraries.function("rdma_create_event_channel", 0);
    public static final CFunction DESTROY_EVENT_CHANNEL = Libraries.function("rdma_destroy_event_channel", 1);
    public static final CFunction CREATE_ID = Libraries.function("rdma_create_id", 4);
    public static final CFunction DESTROY_ID = Libraries.function("rdma_destroy_id", 1);
    public static final CFunction BIND_ADDR = Libraries.function("rdma_bind_addr", 2);
    public static final CFunction RESOLVE_ADDR = Libraries.function("rdma_resolve_addr", 4);
    public static final CFunction RESOLVE_ROUTE = Libraries.function("rdma_resolve_route", 2);
    public static final CFunction INIT_QP_ATTR = Libraries.function("rdma_init_qp_attr", 3);
    public static final CFunction CONNECT = Libraries.function("rdma_connect", 2);
    public static final CFunction ESTABLISH = Libraries.function("rdma_establish", 1);
    public static final CFunction LISTEN = Libraries.function("rdma_listen", 2);
    public static final CFunction ACCEPT = Libraries.function("rdma_accept", 2);
    public static final CFunction REJECT = Libraries.function("rdma_reject", 3);
    public static final CFunction DISCONNECT = Libraries.function("rdma_disconnect", 1);
    public static final CFunction GET_CM_EVENT = Libraries.function("rdma_get_cm_event", 2);
    public static final CFunction ACK_CM_EVENT = Libraries.function("rdma_ack_cm_event", 1);
    public static final CFunction SET_OPTION = Libraries.function("rdma_set_option", 5);
    public static final CFunction GET_DEVICES = Libraries.function("rdma_get_devices", 1);
    public static final CFunction FREE_DEVICES = Libraries.function("rdma_free_devices", 1);

    private RdmaCm() {}
}
