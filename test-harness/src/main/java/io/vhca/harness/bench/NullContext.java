package io.vhca.harness.bench;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AtomicCapability;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Gid;
import io.vhca.api.LinkLayer;
import io.vhca.api.Mtu;
import io.vhca.api.PortAttributes;
import io.vhca.api.PortState;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.cm.CmEventChannel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An open null device: its port is always active, it raises no events, its limits are generous. Any thread. */
final class NullContext implements Context {
    private static final int DEFAULT_PKEY = 0xffff;
    private static final int MANY = 1 << 16;
    private static final int PAGE_BYTES = 4096;

    private final NullDevice device;
    private final Arena arena = Arena.ofShared();
    private final CountDownLatch closed = new CountDownLatch(1);

    NullContext(final NullDevice device) {
        this.device = device;
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public DeviceAttributes queryDevice() {
        return new DeviceAttributes(
                "null", device.nodeGuid(), Long.MAX_VALUE, MANY, MANY, 32, MANY, 1 << 20, MANY, MANY, 128, 128,
                AtomicCapability.NONE, 0, 0, 0, 0, 256, 1);
    }

    @Override
    public PortAttributes queryPort(final int portNum) {
        return new PortAttributes(
                PortState.ACTIVE, Mtu.MTU_4096, Mtu.MTU_4096, 1, 1, 1 << 30, 0, LinkLayer.ETHERNET, 0);
    }

    @Override
    public Gid queryGid(final int portNum, final int index) {
        return index == 0 ? Gid.of(device.address()) : new Gid(0, 0);
    }

    @Override
    public int queryPkey(final int portNum, final int index) {
        return DEFAULT_PKEY;
    }

    @Override
    public ProtectionDomain allocPd() {
        return new NullPd(this);
    }

    @Override
    public CompletionChannel createCompChannel() {
        return new NullCompChannel(this);
    }

    @Override
    public CompletionQueue createCq(
            final int cqe, final @Nullable Object context, final @Nullable CompletionChannel channel) {
        return new NullCq(this, cqe, context, (NullCompChannel) channel);
    }

    @Override
    public @Nullable AsyncEvent getAsyncEvent(final long timeoutNs) {
        try {
            final boolean ended = closed.await(timeoutNs, TimeUnit.NANOSECONDS);
            assert ended || closed.getCount() > 0;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    @Override
    public void ackAsyncEvent(final AsyncEvent event) {
        // There are none.
    }

    @Override
    public CmEventChannel createEventChannel() {
        return new NullCmChannel(this);
    }

    @Override
    public MemorySegment allocateMemory(final long lengthBytes) {
        return arena.allocate(lengthBytes, PAGE_BYTES);
    }

    @Override
    public void close() {
        if (closed.getCount() > 0) {
            closed.countDown();
            arena.close();
        }
    }
}
