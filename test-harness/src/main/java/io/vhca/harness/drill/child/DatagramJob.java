package io.vhca.harness.drill.child;

import io.vhca.api.AddressHandle;
import io.vhca.api.Context;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.harness.drill.protocol.CmSteps;
import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Datagrams, one after the other, which the peer sends back. They may be lost while a link dies, none may come twice,
 * and after that they must get through again: it is not finished before one does.
 */
final class DatagramJob extends SideJob {
    /** One that has not come back after that is lost. */
    private static final long ECHO_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long PACE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LAST_NS = TimeUnit.MINUTES.toNanos(1);

    private final DatagramPort port;
    private final AddressHandle peer;
    private final int peerQpNum;
    private final BitSet echoed = new BitSet();
    private int sent;
    private long sentNs;
    private boolean isAwaited;
    private final OutageClock outage = new OutageClock();
    private int doubled;
    /** Those from here on were sent after the stop; -1 before it. */
    private int lastFrom = -1;

    private long lastFromNs;

    /** Finds the peer by its service, for which {@link DatagramEcho} listens; closes nothing. */
    DatagramJob(final Context context, final InetSocketAddress service) {
        final CmEventChannel channel = context.createEventChannel();
        final CmId id = CmSteps.resolve(channel, CmPortSpace.UDP, service);
        port = new DatagramPort(context, id);
        id.connect(ConnectParameters.of(new byte[0]));
        final CmEvent found = CmSteps.await(channel, CmEventType.ESTABLISHED);
        peer = port.pd().createAh(Objects.requireNonNull(found.ahAttributes()));
        peerQpNum = found.parameters().qpNum();
    }

    @Override
    boolean doWork() {
        final boolean any = port.poll((number, header, srcQp) -> onEcho((int) number));
        final long nowNs = System.nanoTime();
        if (isStopping() && lastFrom < 0) {
            lastFrom = sent;
            lastFromNs = nowNs;
        }
        if (lastFrom >= 0 && nowNs - lastFromNs > LAST_NS) {
            outage.progress(nowNs, true);
            finish(WRONG + "ud: no datagram came back any more, of " + text());
        } else if (nowNs - sentNs >= (isAwaited ? ECHO_NS : PACE_NS) && port.send(peer, peerQpNum, sent)) {
            sent++;
            sentNs = nowNs;
            isAwaited = true;
        }
        return any;
    }

    private void onEcho(final int number) {
        final long nowNs = System.nanoTime();
        if (echoed.get(number)) {
            doubled++;
        }
        echoed.set(number);
        outage.progress(nowNs, true);
        isAwaited &= number != sent - 1;
        if (lastFrom >= 0 && number >= lastFrom) {
            finish((doubled == 0 ? "" : WRONG) + "ud: " + text());
        }
    }

    @Override
    long longestOutageNs() {
        return outage.longestNs();
    }

    private String text() {
        return sent + " datagrams, " + echoed.cardinality() + " came back, " + doubled + " twice, none for "
                + TimeUnit.NANOSECONDS.toMillis(longestOutageNs()) + " ms at most";
    }
}
