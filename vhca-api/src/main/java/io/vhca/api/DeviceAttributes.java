package io.vhca.api;

/**
 * Attributes and limits of a device ({@code struct ibv_device_attr}, ibv_query_device(3)).
 *
 * @param fwVer         firmware version, free text
 * @param nodeGuid      in host order
 * @param maxMrSize     bytes; {@link Long#MAX_VALUE} where there is no limit
 * @param maxQpWr       work requests outstanding on one queue
 * @param maxSge        scatter/gather elements a work request
 * @param maxCqe        entries a CQ
 * @param maxQpRdAtom   READs and atomics outstanding at a QP as responder
 * @param maxQpInitRdAtom the same as initiator
 * @param atomicCap     how atomic atomics are
 * @param maxInlineData bytes of inline data a QP may ask for
 */
public record DeviceAttributes(
        String fwVer,
        long nodeGuid,
        long maxMrSize,
        int maxQp,
        int maxQpWr,
        int maxSge,
        int maxCq,
        int maxCqe,
        int maxMr,
        int maxPd,
        int maxQpRdAtom,
        int maxQpInitRdAtom,
        AtomicCapability atomicCap,
        int maxAh,
        int maxSrq,
        int maxSrqWr,
        int maxSrqSge,
        int maxInlineData,
        int physPortCount) {}
