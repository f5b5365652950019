package io.vhca.examples;

import io.vhca.api.AccessFlags;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WrOpcode;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/** The server of an rping: reads the client's text, writes it back, says so each time. One thread. */
final class RpingServer implements AutoCloseable {
    private static final int MAX_BYTES = 1 << 30;

    private final RdmaConnection connection;
    private final Arena arena = Arena.ofShared();
    private final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
    private @Nullable MemoryRegion buffer;

    RpingServer(final RdmaConnection connection) {
        this.connection = connection;
    }

    /** Serves until the client disconnects; gives the number of pings. */
    int serve() {
        int pings = 0;
        while (true) {
            final byte[] source = connection.receiveUnlessOver();
            if (source == null) {
                return pings;
            }
            transfer(WrOpcode.RDMA_READ, RpingMessage.decode(source));
            connection.send(RpingMessage.DONE.encode());
            transfer(WrOpcode.RDMA_WRITE, RpingMessage.decode(connection.receive()));
            connection.send(RpingMessage.DONE.encode());
            pings++;
        }
    }

    private void transfer(final WrOpcode opcode, final RpingMessage remote) {
        final MemoryRegion local = buffer(remote.lengthBytes());
        connection.execute(wr.opcode(opcode)
                .sge(local.addr(), remote.lengthBytes(), local.lkey())
                .rdma(remote.address(), remote.rkey()));
    }

    private MemoryRegion buffer(final int lengthBytes) {
        MemoryRegion region = buffer;
        if (region == null || region.lengthBytes() < lengthBytes) {
            if (lengthBytes < 1 || lengthBytes > MAX_BYTES) {
                throw new VerbsException("rping", Errno.EPROTO, "client", "it offers " + lengthBytes + " bytes");
            }
            if (region != null) {
                region.close();
            }
            region = connection.pd().regMr(arena.allocate(lengthBytes, 64), AccessFlags.LOCAL_WRITE);
            buffer = region;
        }
        return region;
    }

    @Override
    public void close() {
        if (buffer != null) {
            buffer.close();
        }
        arena.close();
    }
}
