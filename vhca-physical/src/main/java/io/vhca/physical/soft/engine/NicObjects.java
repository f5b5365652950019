package io.vhca.physical.soft.engine;

import io.vhca.api.CompletionChannel;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.engine.core.UseCount;
import io.vhca.physical.soft.engine.memory.KeyTable;
import io.vhca.physical.soft.engine.memory.MemoryDomain;
import io.vhca.physical.soft.engine.queue.SoftCq;
import io.vhca.physical.soft.engine.queue.SoftSrq;
import io.vhca.physical.soft.engine.ud.AhTable;
import org.jspecify.annotations.Nullable;

/**
 * Creates the protection domains, CQs and SRQs of a soft device within its limits, and counts them. The engine's owner.
 */
final class NicObjects {
    private final Engine engine;
    private final SoftNicConfig config;
    private final KeyTable keys;
    private final AhTable ahs;
    private final QpFactory qpFactory;
    private final UseCount pds;
    private final UseCount cqs;
    private final UseCount srqs;
    private int pdNumber;

    NicObjects(final Engine engine) {
        this.engine = engine;
        config = engine.config();
        keys = new KeyTable(engine, config.random());
        ahs = new AhTable(engine, engine.port());
        qpFactory = new QpFactory(engine, ahs);
        pds = new UseCount(engine);
        cqs = new UseCount(engine);
        srqs = new UseCount(engine);
    }

    KeyTable keys() {
        return keys;
    }

    AhTable ahs() {
        return ahs;
    }

    QpFactory qpFactory() {
        return qpFactory;
    }

    /** The open protection domains. */
    UseCount pds() {
        return pds;
    }

    /** Throws EBUSY while there are any. */
    void requireNone() {
        if (pds.get() > 0 || cqs.get() > 0) {
            throw new VerbsException(
                    "closeDevice",
                    Errno.EBUSY,
                    engine.name(),
                    pds.get() + " protection domains and " + cqs.get() + " CQs are still open: close them first");
        }
    }

    SoftPd addPd(final @Nullable Context context) {
        pds.requireBelow("allocPd", config.maxPd());
        final SoftPd pd = new SoftPd(engine, this, context, ++pdNumber);
        pds.added();
        return pd;
    }

    SoftCq addCq(
            final @Nullable Context context,
            final int cqe,
            final @Nullable Object cqContext,
            final @Nullable CompletionChannel channel) {
        engine.require("createCq", cqe >= 1 && cqe <= config.maxCqe(), "cqe must be 1 .. " + config.maxCqe());
        cqs.requireBelow("createCq", config.maxCq());
        return new SoftCq(engine, cqs, context, cqe, cqContext, channel);
    }

    SoftSrq addSrq(final MemoryDomain domain, final SrqAttributes attributes) {
        engine.require(
                "createSrq",
                attributes.maxWr() >= 1
                        && attributes.maxWr() <= config.maxSrqWr()
                        && attributes.maxSge() >= 0
                        && attributes.maxSge() <= config.maxSge(),
                "max_wr must be 1 .. " + config.maxSrqWr() + " and max_sge 0 .. " + config.maxSge());
        engine.require(
                "createSrq",
                attributes.limit() >= 0 && attributes.limit() <= attributes.maxWr(),
                "srq_limit must be 0 .. max_wr, which is " + attributes.maxWr());
        srqs.requireBelow("createSrq", config.maxSrq());
        return new SoftSrq(engine, domain, attributes, srqs);
    }
}
