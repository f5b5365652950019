package io.vhca.physical.verbs.lib;

import io.vhca.physical.rdmacore.RdmaCore;

/** The functions of librdmacm, by the C name less {@code rdma_}. */
public final class RdmaCm {
    public static final CFunction CREATE_EVENT_CHANNEL =
            CFunction.of(RdmaCore.rdma_create_event_channel$address(), RdmaCore.rdma_create_event_channel$descriptor());
    public static final CFunction DESTROY_EVENT_CHANNEL =
            CFunction.of(
                    RdmaCore.rdma_destroy_event_channel$address(),
                    RdmaCore.rdma_destroy_event_channel$descriptor());
    public static final CFunction CREATE_ID =
            CFunction.of(RdmaCore.rdma_create_id$address(), RdmaCore.rdma_create_id$descriptor());
    public static final CFunction DESTROY_ID =
            CFunction.of(RdmaCore.rdma_destroy_id$address(), RdmaCore.rdma_destroy_id$descriptor());
    public static final CFunction BIND_ADDR =
            CFunction.of(RdmaCore.rdma_bind_addr$address(), RdmaCore.rdma_bind_addr$descriptor());
    public static final CFunction RESOLVE_ADDR =
            CFunction.of(RdmaCore.rdma_resolve_addr$address(), RdmaCore.rdma_resolve_addr$descriptor());
    public static final CFunction RESOLVE_ROUTE =
            CFunction.of(RdmaCore.rdma_resolve_route$address(), RdmaCore.rdma_resolve_route$descriptor());
    public static final CFunction INIT_QP_ATTR =
            CFunction.of(RdmaCore.rdma_init_qp_attr$address(), RdmaCore.rdma_init_qp_attr$descriptor());
    public static final CFunction CONNECT =
            CFunction.of(RdmaCore.rdma_connect$address(), RdmaCore.rdma_connect$descriptor());
    public static final CFunction ESTABLISH =
            CFunction.of(RdmaCore.rdma_establish$address(), RdmaCore.rdma_establish$descriptor());
    public static final CFunction LISTEN =
            CFunction.of(RdmaCore.rdma_listen$address(), RdmaCore.rdma_listen$descriptor());
    public static final CFunction ACCEPT =
            CFunction.of(RdmaCore.rdma_accept$address(), RdmaCore.rdma_accept$descriptor());
    public static final CFunction REJECT =
            CFunction.of(RdmaCore.rdma_reject$address(), RdmaCore.rdma_reject$descriptor());
    public static final CFunction DISCONNECT =
            CFunction.of(RdmaCore.rdma_disconnect$address(), RdmaCore.rdma_disconnect$descriptor());
    public static final CFunction GET_CM_EVENT =
            CFunction.of(RdmaCore.rdma_get_cm_event$address(), RdmaCore.rdma_get_cm_event$descriptor());
    public static final CFunction ACK_CM_EVENT =
            CFunction.of(RdmaCore.rdma_ack_cm_event$address(), RdmaCore.rdma_ack_cm_event$descriptor());
    public static final CFunction SET_OPTION =
            CFunction.of(RdmaCore.rdma_set_option$address(), RdmaCore.rdma_set_option$descriptor());
    public static final CFunction GET_DEVICES =
            CFunction.of(RdmaCore.rdma_get_devices$address(), RdmaCore.rdma_get_devices$descriptor());
    public static final CFunction FREE_DEVICES =
            CFunction.of(RdmaCore.rdma_free_devices$address(), RdmaCore.rdma_free_devices$descriptor());

    private RdmaCm() {}
}
