package io.vhca.physical.soft.engine;

import io.vhca.api.AhAttributes;
import io.vhca.api.CompletionChannel;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a {@link SoftNic}: made within its limits, counted, and found by key and number. The engine's owner.
 */
final class NicObjects {
    private final SoftNic nic;
    private final SoftNicConfig config;
    private final QpTable qps;
    private final KeyTable keys;
    private final AhTable ahs = new AhTable();
    private int pds;
    private int pdNumber;
    private int cqs;
    private int srqs;

    NicObjects(final SoftNic nic, final long seed) {
        this.nic = nic;
        config = nic.config();
        qps = new QpTable(seed);
        keys = new KeyTable(seed);
    }

    QpTable qps() {
        return qps;
    }

    KeyTable keys() {
        return keys;
    }

    AhTable ahs() {
        return ahs;
    }

    /** Throws EBUSY while there are any. */
    void requireNone() {
        if (pds > 0 || cqs > 0) {
            throw new VerbsException(
                    "closeDevice",
                    Errno.EBUSY,
                    nic.name(),
                    pds + " protection domains and " + cqs + " CQs are still open: close them first");
        }
    }

    SoftPd addPd(final @Nullable Context context) {
        requireBelow("allocPd", pds, config.maxPd());
        pds++;
        return new SoftPd(nic, context, ++pdNumber);
    }

    SoftCq addCq(
            final @Nullable Context context,
            final int cqe,
            final @Nullable Object cqContext,
            final @Nullable CompletionChannel channel) {
        nic.require("createCq", cqe >= 1 && cqe <= config.maxCqe(), "cqe must be 1 .. " + config.maxCqe());
        requireBelow("createCq", cqs, config.maxCq());
        cqs++;
        return new SoftCq(nic, context, cqe, cqContext, channel);
    }

    SoftMr addRegion(final SoftPd pd, final MemorySegment memory, final int access) {
        requireBelow("regMr", keys.live(), Math.min(config.maxMr(), KeyTable.MAX_REGIONS));
        final SoftMr region = new SoftMr(pd, memory, keys.allocate(), access);
        keys.put(region.lkey(), region);
        pd.users++;
        return region;
    }

    void removeRegion(final SoftMr region) {
        keys.remove(region.lkey());
        region.pd().users--;
    }

    SoftQp addQp(final SoftPd pd, final QpInitAttributes attributes) {
        QpRequests.judge(nic, pd, attributes);
        requireBelow("createQp", qps.size(), config.maxQp());
        final SoftQp qp = new SoftQp(nic, pd, attributes, qps.allocate());
        qps.put(qp);
        pd.users++;
        qp.sendCq().users++;
        qp.recvCq().users++;
        final SoftSrq srq = qp.srq();
        if (srq != null) {
            srq.users++;
        }
        return qp;
    }

    void removeQp(final SoftQp qp) {
        qps.remove(qp);
        qp.pd().users--;
        qp.sendCq().users--;
        qp.recvCq().users--;
        final SoftSrq srq = qp.srq();
        if (srq != null) {
            srq.users--;
        }
    }

    SoftSrq addSrq(final SoftPd pd, final SrqAttributes attributes) {
        nic.require(
                "createSrq",
                attributes.maxWr() >= 1
                        && attributes.maxWr() <= config.maxSrqWr()
                        && attributes.maxSge() >= 0
                        && attributes.maxSge() <= config.maxSge(),
                "max_wr must be 1 .. " + config.maxSrqWr() + " and max_sge 0 .. " + config.maxSge());
        requireBelow("createSrq", srqs, config.maxSrq());
        srqs++;
        pd.users++;
        return new SoftSrq(pd, attributes);
    }

    void srqClosed(final SoftSrq srq) {
        srqs--;
        srq.pd().users--;
    }

    SoftAh addAh(final SoftPd pd, final AhAttributes attributes) {
        nic.require(
                "createAh",
                !attributes.dgid().isZero() && attributes.sgidIndex() == nic.gidIndex() && attributes.portNum() == 1,
                "an address needs a destination GID, the sgid_index of the port's GID and port 1");
        requireBelow("createAh", ahs.live(), config.maxAh());
        pd.users++;
        return ahs.add(pd, attributes, nic.settings().path(attributes.dgid()));
    }

    void removeAh(final SoftAh ah) {
        ahs.remove(ah);
        ah.pd().users--;
    }

    void pdClosed() {
        pds--;
    }

    void cqClosed(final SoftCq cq) {
        assert cq.users == 0;
        cqs--;
    }

    private void requireBelow(final String verb, final int count, final int most) {
        if (count >= most) {
            throw new VerbsException(verb, Errno.ENOMEM, nic.name(), "all " + most + " are in use: close some first");
        }
    }
}
