package io.vhca.api;

/**
 * Sizes of a QP's queues ({@code struct ibv_qp_cap}).
 *
 * @param maxSendWr     sends outstanding; a bond refuses 0
 * @param maxRecvWr     receives outstanding; 0 with an SRQ
 * @param maxSendSge    elements a send
 * @param maxRecvSge    elements a receive
 * @param maxInlineData bytes of inline data
 */
public record QpCapabilities(int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge, int maxInlineData) {}
