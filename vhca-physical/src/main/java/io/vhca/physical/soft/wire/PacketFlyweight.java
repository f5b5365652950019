package io.vhca.physical.soft.wire;

import io.vhca.api.NativeMemory;
import io.vhca.api.ServiceClass;

/**
 * A received packet in native memory: what its BTH says, where its extended headers and its payload are, and where it
 * came from. One object serves all packets, one after the other. One thread at a time.
 */
public final class PacketFlyweight {
    private static final int PKEY_BASE_MASK = 0x7fff;

    private long address;
    private int opcode;
    private int flags;
    private long payload;
    private int payloadLength;
    private long sourceHigh;
    private long sourceLow;
    private int sourcePort;
    private int trafficClass;

    /** Shows no packet yet. */
    public PacketFlyweight() {}

    /**
     * Shows another packet.
     *
     * @param sourceHigh high half of the sender's GID
     * @param sourceLow  low half of the sender's GID
     * @param sourcePort UDP port that it was sent from
     * @param lengthBytes BTH to ICRC
     * @return false for a packet that is too short, or whose opcode, length, version or partition is wrong
     */
    public boolean wrap(
            final long packetAddress,
            final int lengthBytes,
            final long sourceHigh,
            final long sourceLow,
            final int sourcePort) {
        if (lengthBytes < BthDescriptor.SIZE + Wire.ICRC_BYTES) {
            return false;
        }
        address = packetAddress;
        this.sourceHigh = sourceHigh;
        this.sourceLow = sourceLow;
        this.sourcePort = sourcePort;
        opcode = BthDescriptor.opcode(packetAddress);
        flags = Opcodes.flags(opcode);
        final int headerBytes = Opcodes.headerBytes(opcode);
        payload = packetAddress + headerBytes;
        payloadLength = lengthBytes - headerBytes - Wire.ICRC_BYTES - BthDescriptor.padBytes(packetAddress);
        return flags != 0
                && payloadLength >= 0
                && (payloadLength == 0 || has(Opcodes.HAS_PAYLOAD))
                && (lengthBytes & 3) == 0
                && BthDescriptor.transportVersion(packetAddress) == 0
                && (BthDescriptor.pkey(packetAddress) & PKEY_BASE_MASK) == PKEY_BASE_MASK;
    }

    /** One of {@link Opcodes}. */
    public int opcode() {
        return opcode;
    }

    /** What the opcode means, a combination of the flags of {@link Opcodes}. */
    public int flags() {
        return flags;
    }

    /** True when the opcode has one of these flags. */
    public boolean has(final int anyOf) {
        return (flags & anyOf) != 0;
    }

    /** Native address of the first extended header, right behind the BTH. */
    private long header(final int flag) {
        assert has(flag) : "opcode " + opcode + " has no such header";
        return address + BthDescriptor.SIZE;
    }

    /** Native address of the payload. */
    public long payload() {
        return payload;
    }

    /** Bytes of the payload, pad excluded. */
    public int payloadLength() {
        return payloadLength;
    }

    /** Bytes of BTH and extended headers. */
    public int headerBytes() {
        return (int) (payload - address);
    }

    public int destQp() {
        return BthDescriptor.destQp(address);
    }

    /** The 64-bit sequence nearest to {@code reference} that the packet's PSN can stand for. */
    public long sequenceNear(final long reference) {
        return Psn.sequenceNear(BthDescriptor.psn(address), reference);
    }

    public boolean isSolicited() {
        return BthDescriptor.isSolicited(address);
    }

    public boolean isAckRequested() {
        return BthDescriptor.isAckRequested(address);
    }

    /** The immediate in the order of its bytes on the wire; 0 where there is none. */
    public int rawImmediate() {
        return has(Opcodes.HAS_IMM) ? NativeMemory.getInt(payload - ImmDtDescriptor.SIZE) : 0;
    }

    // RETH.

    /** Where a READ or WRITE goes to. */
    public long remoteAddr() {
        return RethDescriptor.virtualAddress(header(Opcodes.HAS_RETH));
    }

    public int rkey() {
        return RethDescriptor.rkey(header(Opcodes.HAS_RETH));
    }

    /** Bytes of the whole READ or WRITE. */
    public long dmaLength() {
        return RethDescriptor.lengthBytes(header(Opcodes.HAS_RETH));
    }

    // AtomicETH.

    public long atomicAddr() {
        return AtomicEthDescriptor.virtualAddress(header(Opcodes.HAS_ATOMIC_ETH));
    }

    public int atomicRkey() {
        return AtomicEthDescriptor.rkey(header(Opcodes.HAS_ATOMIC_ETH));
    }

    public long swapOrAdd() {
        return AtomicEthDescriptor.swapOrAdd(header(Opcodes.HAS_ATOMIC_ETH));
    }

    public long compare() {
        return AtomicEthDescriptor.compare(header(Opcodes.HAS_ATOMIC_ETH));
    }

    // AETH and AtomicAckETH.

    public int syndrome() {
        return AethDescriptor.syndrome(header(Opcodes.HAS_AETH));
    }

    /** What an atomic found before it was executed. */
    public long atomicOriginal() {
        return AtomicAckEthDescriptor.original(header(Opcodes.HAS_ATOMIC_ACK_ETH) + AethDescriptor.SIZE);
    }

    // DETH.

    public int qkey() {
        return DethDescriptor.qkey(header(Opcodes.HAS_DETH));
    }

    public int srcQp() {
        return DethDescriptor.srcQp(header(Opcodes.HAS_DETH));
    }

    // Source.

    /** High half of the sender's GID. */
    public long sourceHigh() {
        return sourceHigh;
    }

    /** Low half of the sender's GID. */
    public long sourceLow() {
        return sourceLow;
    }

    /** UDP port that it was sent from. */
    public int sourcePort() {
        return sourcePort;
    }

    /** True when its sender takes packets that were filled up. */
    public boolean isFillOffered() {
        return FillDescriptor.isOffered(address);
    }

    /** The traffic class of the IP header, for the packet that is shown next. */
    public void trafficClass(final int ofIpHeader) {
        trafficClass = ofIpHeader;
    }

    /** True when it was marked on its way: it went through congestion (ECN CE), as far as the carrier looks. */
    public boolean isCongested() {
        return (trafficClass & ServiceClass.ECN_MASK) == ServiceClass.CONGESTED;
    }

    /** The traffic class of the IP header, as far as the carrier looks. */
    public int trafficClass() {
        return trafficClass;
    }
}
