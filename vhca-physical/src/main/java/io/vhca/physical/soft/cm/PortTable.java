package io.vhca.physical.soft.cm;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmPortSpace;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Which id has which port of a device, per port space. Guarded by the lock of the {@link CommunicationManager}. */
final class PortTable {
    private static final int FIRST_EPHEMERAL = 49_152;
    private static final int EPHEMERAL = 65_536 - FIRST_EPHEMERAL;

    private final Map<CmPortSpace, Map<Integer, SoftCmId>> owners = new EnumMap<>(CmPortSpace.class);
    private final RandomGenerator random;

    PortTable(final RandomGenerator random) {
        this.random = random;
        for (final CmPortSpace space : CmPortSpace.values()) {
            owners.put(space, new HashMap<>());
        }
    }

    private Map<Integer, SoftCmId> of(final CmPortSpace space) {
        return owners.computeIfAbsent(space, ignored -> new HashMap<>());
    }

    @Nullable SoftCmId owner(final CmPortSpace space, final int port) {
        return of(space).get(port);
    }

    /**
     * Gives a port to an id.
     *
     * @param port 0 for any free one above 49151
     * @return the port
     * @throws VerbsException EADDRINUSE
     */
    int take(final SoftCmId id, final int port) {
        final Map<Integer, SoftCmId> ports = of(id.portSpace());
        if (port != 0) {
            if (ports.putIfAbsent(port, id) != null) {
                throw new VerbsException(
                        "bindAddr", Errno.EADDRINUSE, id.toString(),
                        "port " + port + " has another id; choose another");
            }
            return port;
        }
        final int start = random.nextInt(EPHEMERAL);
        for (int i = 0; i < EPHEMERAL; i++) {
            final int candidate = FIRST_EPHEMERAL + (start + i) % EPHEMERAL;
            if (ports.putIfAbsent(candidate, id) == null) {
                return candidate;
            }
        }
        throw new VerbsException(
                "bindAddr", Errno.EADDRINUSE, id.toString(), "all ephemeral ports are in use; close some ids");
    }

    /** Takes the port back if that id has it. */
    void release(final SoftCmId id, final int port) {
        of(id.portSpace()).remove(port, id);
    }
}
