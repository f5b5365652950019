package io.vhca.bond.fake;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.ConnectParameters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A program over one device of its own, without a bond. It owns its region, and its end of the fabric. One thread. */
public final class PlainProgram implements AutoCloseable {
    private final RawPeer raw;
    private final TwoBonds bonds;
    private final Arena arena;
    private final MemorySegment memory;
    private @Nullable FakeQp qp;
    private @Nullable FakeCmId id;
    private @Nullable MemoryRegion region;

    /** A program that is at that address; its memory is the arena's. */
    public PlainProgram(final TwoBonds bonds, final String address, final Arena arena) {
        this.bonds = bonds;
        this.arena = arena;
        memory = arena.allocate(4_096, 64);
        raw = new RawPeer(bonds, address);
    }

    public RawPeer raw() {
        return raw;
    }

    /** Of its connection. */
    public FakeCmId id() {
        return Objects.requireNonNull(id);
    }

    /** Connects to a listener of bond b. */
    public void connect(final byte[] data) {
        id = raw.ask("10.1.0.2", TwoBonds.LISTEN_PORT, data);
        ready((FakeQp) Objects.requireNonNull(id.qp()));
        bonds.settle();
    }

    /** Accepts what bond a has asked. */
    public byte[] accept(final byte[] data) {
        final CmEvent request = raw.next(CmEventType.CONNECT_REQUEST);
        id = (FakeCmId) request.id();
        ready(raw.createQp(id));
        id.accept(ConnectParameters.of(data));
        bonds.settle();
        return request.privateData();
    }

    private void ready(final FakeQp made) {
        qp = made;
        final MemoryRegion registered = made.pd().regMr(
                memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC);
        region = registered;
        final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 1);
        for (int i = 0; i < 8; i++) {
            made.postRecv(recv.wrId(i).sge(memory.address() + i * 64L, 64, registered.lkey()));
        }
    }

    public FakeQp qp() {
        return Objects.requireNonNull(qp);
    }

    /** Of its memory, of which receives have the first half. */
    public long address() {
        return memory.address();
    }

    public int rkey() {
        return Objects.requireNonNull(region).rkey();
    }

    public void send(final String what) {
        final long at = memory.address() + 2_048;
        NativeMemory.segment(at, what.length()).asByteBuffer().put(what.getBytes(StandardCharsets.US_ASCII));
        qp().postSend(SendWorkRequest.allocate(arena, 1).opcode(WrOpcode.SEND).sendFlags(SendFlags.SIGNALED)
                .sge(at, what.length(), Objects.requireNonNull(region).lkey()));
        bonds.settle();
    }

    public String received(final int index, final int length) {
        final byte[] bytes = new byte[length];
        NativeMemory.segment(memory.address() + index * 64L, length).asByteBuffer().get(bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        if (region != null) {
            region.close();
        }
        raw.close();
    }
}
