package io.vhca.physical.verbs.lib;

import io.vhca.physical.ffm.CFunction;

/** The control functions of libibverbs, by the C name less {@code ibv_}. */
public final class Ibv {
    public static final CFunction OPEN_DEVICE = Libraries.function("ibv_open_device", 1);
    public static final CFunction CLOSE_DEVICE = Libraries.function("ibv_close_device", 1);
    public static final CFunction GET_DEVICE_LIST = Libraries.function("ibv_get_device_list", 1);
    public static final CFunction FREE_DEVICE_LIST = Libraries.function("ibv_free_device_list", 1);
    public static final CFunction GET_DEVICE_GUID = Libraries.function("ibv_get_device_guid", 1);
    public static final CFunction QUERY_DEVICE = Libraries.function("ibv_query_device", 2);
    public static final CFunction QUERY_PORT = Libraries.function("ibv_query_port", 3);
    public static final CFunction QUERY_GID = Libraries.function("ibv_query_gid", 4);
    public static final CFunction QUERY_PKEY = Libraries.function("ibv_query_pkey", 4);
    public static final CFunction ALLOC_PD = Libraries.function("ibv_alloc_pd", 1);
    public static final CFunction DEALLOC_PD = Libraries.function("ibv_dealloc_pd", 1);
    public static final CFunction REG_MR = Libraries.function("ibv_reg_mr", 4);
    public static final CFunction DEREG_MR = Libraries.function("ibv_dereg_mr", 1);
    public static final CFunction CREATE_COMP_CHANNEL = Libraries.function("ibv_create_comp_channel", 1);
    public static final CFunction DESTROY_COMP_CHANNEL = Libraries.function("ibv_destroy_comp_channel", 1);
    public static final CFunction CREATE_CQ = Libraries.function("ibv_create_cq", 5);
    public static final CFunction RESIZE_CQ = Libraries.function("ibv_resize_cq", 2);
    public static final CFunction DESTROY_CQ = Libraries.function("ibv_destroy_cq", 1);
    public static final CFunction GET_CQ_EVENT = Libraries.function("ibv_get_cq_event", 3);
    public static final CFunction ACK_CQ_EVENTS = Libraries.function("ibv_ack_cq_events", 2);
    public static final CFunction CREATE_QP = Libraries.function("ibv_create_qp", 2);
    public static final CFunction MODIFY_QP = Libraries.function("ibv_modify_qp", 3);
    public static final CFunction QUERY_QP = Libraries.function("ibv_query_qp", 4);
    public static final CFunction DESTROY_QP = Libraries.function("ibv_destroy_qp", 1);
    public static final CFunction CREATE_SRQ = Libraries.function("ibv_create_srq", 2);
    public static final CFunction MODIFY_SRQ = Libraries.function("ibv_modify_srq", 3);
    public static final CFunction QUERY_SRQ = Libraries.function("ibv_query_srq", 2);
    public static final CFunction DESTROY_SRQ = Libraries.function("ibv_destroy_srq", 1);
    public static final CFunction CREATE_AH = Libraries.function("ibv_create_ah", 2);
    public static final CFunction DESTROY_AH = Libraries.function("ibv_destroy_ah", 1);
    public static final CFunction GET_ASYNC_EVENT = Libraries.function("ibv_get_async_event", 2);
    public static final CFunction ACK_ASYNC_EVENT = Libraries.function("ibv_ack_async_event", 1);
    public static final CFunction QUERY_GID_TABLE = Libraries.function("_ibv_query_gid_table", 5);

    private Ibv() {}
}
