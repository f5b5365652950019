package io.vhca.harness.bench;

import io.vhca.api.CompletionQueue;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.BondContext;
import java.util.ArrayList;
import java.util.List;

/** A bond and an application that connects or accepts whatever comes. One thread at a time; owns all of it. */
final class KeyedEnd implements AutoCloseable {
    private static final int ENTRIES = 64;

    private final BondContext bond;
    private final CmEventChannel channel;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final List<CmId> ids = new ArrayList<>();
    private int established;

    KeyedEnd(final BondContext bond) {
        this.bond = bond;
        channel = bond.createEventChannel();
        pd = bond.allocPd();
        cq = bond.createCq(ENTRIES, null, null);
    }

    BondContext bond() {
        return bond;
    }

    CmEventChannel channel() {
        return channel;
    }

    /** Connections that came to stand, since the beginning. */
    int established() {
        return established;
    }

    private void on(final CmEvent event) {
        switch (event.type()) {
            case ADDR_RESOLVED -> event.id().resolveRoute(1_000);
            case ROUTE_RESOLVED -> {
                take(event.id());
                event.id().connect(ConnectParameters.of(new byte[0]));
            }
            case CONNECT_REQUEST -> {
                take(event.id());
                event.id().accept(ConnectParameters.of(new byte[0]));
            }
            default -> established += event.type() == CmEventType.ESTABLISHED ? 1 : 0;
        }
    }

    private void take(final CmId id) {
        ids.add(id);
        id.createQp(pd, QpInitAttributes.rc(cq, cq, new QpCapabilities(4, 4, 1, 1, 0)));
    }

    /** Does what the connection manager says next; false where it says nothing for so long. */
    boolean next(final int timeoutMs) {
        final CmEvent event = channel.getEvent(timeoutMs);
        if (event == null) {
            return false;
        }
        on(event);
        event.ack();
        return true;
    }

    /** Of a bond without a thread: its work, and the application's. */
    int doWork(final long nowNs) {
        int work = bond.doWork(nowNs);
        while (next(0)) {
            work++;
        }
        return work;
    }

    /** Disconnects all connections but one. */
    void keepOne() {
        final List<CmId> others = ids.subList(1, ids.size());
        others.forEach(CmId::close);
        others.clear();
    }

    @Override
    public void close() {
        ids.forEach(CmId::close);
        channel.close();
        cq.close();
        pd.close();
        bond.close();
    }
}
