package io.vhca.api;

/**
 * Attributes of an SRQ ({@code struct ibv_srq_attr}).
 *
 * @param maxWr  receives outstanding
 * @param maxSge elements a receive
 * @param limit  low-water mark of the limit event, 0 for none
 */
public record SrqAttributes(int maxWr, int maxSge, int limit) {}
