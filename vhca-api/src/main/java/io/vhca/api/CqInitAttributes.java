package io.vhca.api;

import org.jspecify.annotations.Nullable;

/**
 * What a CQ is created with ({@code struct ibv_cq_init_attr_ex}).
 *
 * @param cqe            how many completions it must hold at least, 1 .. {@link DeviceAttributes#maxCqe()}
 * @param cqContext      given back by {@link CompletionQueue#cqContext()}
 * @param channel        where {@link CompletionQueue#reqNotify} events go, or null for none
 * @param singleThreaded one thread at a time calls {@link CompletionQueue#poll poll} and
 *     {@link CompletionQueue#reqNotify reqNotify} ({@code IBV_CREATE_CQ_ATTR_SINGLE_THREADED}), as
 *     {@link QpInitAttributes} says of queue pairs
 */
public record CqInitAttributes(
        int cqe, @Nullable Object cqContext, @Nullable CompletionChannel channel, boolean singleThreaded) {}
