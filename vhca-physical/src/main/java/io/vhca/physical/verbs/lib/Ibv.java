package io.vhca.physical.verbs.lib;

import io.vhca.physical.rdmacore.RdmaCore;

/** The control functions of libibverbs, by the C name less {@code ibv_}. */
public final class Ibv {
    public static final CFunction OPEN_DEVICE =
            CFunction.of(RdmaCore.ibv_open_device$address(), RdmaCore.ibv_open_device$descriptor());
    public static final CFunction CLOSE_DEVICE =
            CFunction.of(RdmaCore.ibv_close_device$address(), RdmaCore.ibv_close_device$descriptor());
    public static final CFunction GET_DEVICE_LIST =
            CFunction.of(RdmaCore.ibv_get_device_list$address(), RdmaCore.ibv_get_device_list$descriptor());
    public static final CFunction FREE_DEVICE_LIST =
            CFunction.of(RdmaCore.ibv_free_device_list$address(), RdmaCore.ibv_free_device_list$descriptor());
    public static final CFunction GET_DEVICE_NAME =
            CFunction.of(RdmaCore.ibv_get_device_name$address(), RdmaCore.ibv_get_device_name$descriptor());
    public static final CFunction GET_DEVICE_GUID =
            CFunction.of(RdmaCore.ibv_get_device_guid$address(), RdmaCore.ibv_get_device_guid$descriptor());
    public static final CFunction QUERY_DEVICE =
            CFunction.of(RdmaCore.ibv_query_device$address(), RdmaCore.ibv_query_device$descriptor());
    public static final CFunction QUERY_PORT =
            CFunction.of(RdmaCore.ibv_query_port$address(), RdmaCore.ibv_query_port$descriptor());
    public static final CFunction QUERY_GID =
            CFunction.of(RdmaCore.ibv_query_gid$address(), RdmaCore.ibv_query_gid$descriptor());
    public static final CFunction QUERY_PKEY =
            CFunction.of(RdmaCore.ibv_query_pkey$address(), RdmaCore.ibv_query_pkey$descriptor());
    public static final CFunction ALLOC_PD =
            CFunction.of(RdmaCore.ibv_alloc_pd$address(), RdmaCore.ibv_alloc_pd$descriptor());
    public static final CFunction DEALLOC_PD =
            CFunction.of(RdmaCore.ibv_dealloc_pd$address(), RdmaCore.ibv_dealloc_pd$descriptor());
    public static final CFunction REG_MR =
            CFunction.of(RdmaCore.ibv_reg_mr$address(), RdmaCore.ibv_reg_mr$descriptor());
    public static final CFunction DEREG_MR =
            CFunction.of(RdmaCore.ibv_dereg_mr$address(), RdmaCore.ibv_dereg_mr$descriptor());
    public static final CFunction CREATE_COMP_CHANNEL =
            CFunction.of(RdmaCore.ibv_create_comp_channel$address(), RdmaCore.ibv_create_comp_channel$descriptor());
    public static final CFunction DESTROY_COMP_CHANNEL =
            CFunction.of(RdmaCore.ibv_destroy_comp_channel$address(), RdmaCore.ibv_destroy_comp_channel$descriptor());
    public static final CFunction CREATE_CQ =
            CFunction.of(RdmaCore.ibv_create_cq$address(), RdmaCore.ibv_create_cq$descriptor());
    public static final CFunction RESIZE_CQ =
            CFunction.of(RdmaCore.ibv_resize_cq$address(), RdmaCore.ibv_resize_cq$descriptor());
    public static final CFunction DESTROY_CQ =
            CFunction.of(RdmaCore.ibv_destroy_cq$address(), RdmaCore.ibv_destroy_cq$descriptor());
    public static final CFunction GET_CQ_EVENT =
            CFunction.of(RdmaCore.ibv_get_cq_event$address(), RdmaCore.ibv_get_cq_event$descriptor());
    public static final CFunction ACK_CQ_EVENTS =
            CFunction.of(RdmaCore.ibv_ack_cq_events$address(), RdmaCore.ibv_ack_cq_events$descriptor());
    public static final CFunction CREATE_QP =
            CFunction.of(RdmaCore.ibv_create_qp$address(), RdmaCore.ibv_create_qp$descriptor());
    public static final CFunction MODIFY_QP =
            CFunction.of(RdmaCore.ibv_modify_qp$address(), RdmaCore.ibv_modify_qp$descriptor());
    public static final CFunction QUERY_QP =
            CFunction.of(RdmaCore.ibv_query_qp$address(), RdmaCore.ibv_query_qp$descriptor());
    public static final CFunction DESTROY_QP =
            CFunction.of(RdmaCore.ibv_destroy_qp$address(), RdmaCore.ibv_destroy_qp$descriptor());
    public static final CFunction CREATE_SRQ =
            CFunction.of(RdmaCore.ibv_create_srq$address(), RdmaCore.ibv_create_srq$descriptor());
    public static final CFunction MODIFY_SRQ =
            CFunction.of(RdmaCore.ibv_modify_srq$address(), RdmaCore.ibv_modify_srq$descriptor());
    public static final CFunction QUERY_SRQ =
            CFunction.of(RdmaCore.ibv_query_srq$address(), RdmaCore.ibv_query_srq$descriptor());
    public static final CFunction DESTROY_SRQ =
            CFunction.of(RdmaCore.ibv_destroy_srq$address(), RdmaCore.ibv_destroy_srq$descriptor());
    public static final CFunction CREATE_AH =
            CFunction.of(RdmaCore.ibv_create_ah$address(), RdmaCore.ibv_create_ah$descriptor());
    public static final CFunction DESTROY_AH =
            CFunction.of(RdmaCore.ibv_destroy_ah$address(), RdmaCore.ibv_destroy_ah$descriptor());
    public static final CFunction GET_ASYNC_EVENT =
            CFunction.of(RdmaCore.ibv_get_async_event$address(), RdmaCore.ibv_get_async_event$descriptor());
    public static final CFunction ACK_ASYNC_EVENT =
            CFunction.of(RdmaCore.ibv_ack_async_event$address(), RdmaCore.ibv_ack_async_event$descriptor());
    public static final CFunction QUERY_GID_TABLE =
            CFunction.of(RdmaCore._ibv_query_gid_table$address(), RdmaCore._ibv_query_gid_table$descriptor());

    private Ibv() {}
}
