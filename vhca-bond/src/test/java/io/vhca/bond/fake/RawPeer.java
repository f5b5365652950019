package io.vhca.bond.fake;

import io.vhca.api.CompletionQueue;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A host without a bond that says to one what a test wants said, and takes its requests. */
public final class RawPeer implements AutoCloseable {
    private final FakeDevice device;
    private final FakeContext context;
    private final FakeCmChannel channel;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;

    public RawPeer(final TwoBonds bonds, final String address) {
        device = bonds.fabric.device("raw" + address, address);
        context = (FakeContext) device.open();
        channel = (FakeCmChannel) context.createEventChannel();
        pd = context.allocPd();
        cq = context.createCq(4_096, null, null);
    }

    public FakeDevice device() {
        return device;
    }

    /** Sends a REQ with that private data; what comes of it is in {@link #next}. */
    public FakeCmId ask(final String address, final int port, final byte[] data) {
        final FakeCmId id = (FakeCmId) channel.createId(CmPortSpace.TCP, null);
        id.resolveAddr(null, new InetSocketAddress(InetAddress.ofLiteral(address), port), 1_000);
        id.resolveRoute(1_000);
        channel.getEvent(0);
        channel.getEvent(0);
        createQp(id);
        id.connect(ConnectParameters.of(data));
        return id;
    }

    /** A queue pair for an id. */
    public FakeQp createQp(final FakeCmId id) {
        return (FakeQp) id.createQp(pd, QpInitAttributes.rc(cq, cq, new QpCapabilities(32, 32, 2, 2, 64)));
    }

    /** Listens at a port; requests are in {@link #next}. */
    public FakeCmId listen(final int port) {
        final FakeCmId id = (FakeCmId) channel.createId(CmPortSpace.TCP, null);
        id.bindAddr(new InetSocketAddress(device.address(), port));
        id.listen(8);
        return id;
    }

    /** Answers a request. */
    public void accept(final CmEvent request, final byte[] reply) {
        final FakeCmId id = (FakeCmId) request.id();
        createQp(id);
        id.accept(ConnectParameters.of(reply));
    }

    /** The next event, or null. */
    public @Nullable CmEvent next() {
        return channel.getEvent(0);
    }

    /** The next event, which must be of that type. */
    public CmEvent next(final CmEventType type) {
        final CmEvent event = next();
        if (event == null || event.type() != type) {
            throw new AssertionError("not " + type + " but " + event);
        }
        return Objects.requireNonNull(event);
    }

    /** Why a bond has rejected the oldest REQ; null where its REJ holds no record. */
    public @Nullable RejectCode rejection() {
        final RejectRecord record = RejectRecord.read(next(CmEventType.REJECTED).privateData());
        return record == null ? null : record.code();
    }

    @Override
    public void close() {
        channel.closeIds();
        cq.close();
        pd.close();
        channel.close();
        context.close();
    }
}
