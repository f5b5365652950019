package io.vhca.physical.soft.engine.ud;

import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.ProtectionDomain;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.Path;
import io.vhca.physical.soft.engine.memory.MemoryDomain;

/** An address handle of a soft device: the way to a destination of datagrams. */
public final class SoftAh implements AddressHandle {
    private final EngineCore core;
    private final AhTable table;
    private final MemoryDomain domain;
    private final AhAttributes attributes;
    private final Path path;
    private final long handle;
    private boolean isClosed;

    SoftAh(
            final EngineCore core,
            final AhTable table,
            final MemoryDomain domain,
            final AhAttributes attributes,
            final Path path,
            final long handle) {
        this.core = core;
        this.table = table;
        this.domain = domain;
        this.attributes = attributes;
        this.path = path;
        this.handle = handle;
    }

    @Override
    public ProtectionDomain pd() {
        return domain.pd();
    }

    MemoryDomain domain() {
        return domain;
    }

    Path path() {
        return path;
    }

    @Override
    public long handle() {
        return handle;
    }

    /** What it was created with. */
    public AhAttributes attributes() {
        return attributes;
    }

    @Override
    public void close() {
        core.acquire();
        try {
            if (!isClosed) {
                isClosed = true;
                table.remove(this);
                domain.removeUser();
            }
        } finally {
            core.release();
        }
    }

    @Override
    public String toString() {
        return core.name() + " ah to " + attributes.dgid();
    }
}
