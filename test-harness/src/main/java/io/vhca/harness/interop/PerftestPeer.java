package io.vhca.harness.interop;

import io.vhca.api.Context;
import io.vhca.api.Mtu;
import io.vhca.api.WrOpcode;
import java.io.IOException;
import java.net.Socket;

/** The Java side of perftest's programs: the same exchange, the same operations, no figures. One thread. */
final class PerftestPeer {
    private final CProgram program;
    private final int sizeBytes;
    private final int count;

    PerftestPeer(final CProgram program) {
        this.program = program;
        sizeBytes = program.value("-s");
        count = program.value("-n");
    }

    private WrOpcode opcode() {
        return switch (program) {
            case SEND_BW -> WrOpcode.SEND;
            case WRITE_BW -> WrOpcode.RDMA_WRITE;
            case READ_LAT -> WrOpcode.RDMA_READ;
            case ATOMIC_LAT -> WrOpcode.ATOMIC_FETCH_AND_ADD;
            default -> throw new IllegalArgumentException(program + " is none of perftest's");
        };
    }

    /** Runs the whole test over a socket that is taken over. */
    void run(final Context device, final Socket socket, final boolean isClient) throws IOException {
        final boolean takesMessages = program == CProgram.SEND_BW && !isClient;
        try (PerftestTalk talk = new PerftestTalk(socket, isClient);
                PerftestEnd end = new PerftestEnd(device, takesMessages ? count : 0)) {
            final int peerMtu = talk.open(end.mtu().code());
            final PerftestTalk.Keys own = end.keys();
            final PerftestTalk.Keys peer = talk.shakeHands(own);
            final boolean isLatency = program == CProgram.READ_LAT || program == CProgram.ATOMIC_LAT;
            if (isLatency) {
                talk.shakeHands(own);
            }
            end.connect(peer, Mtu.fromCode(Math.min(peerMtu, end.mtu().code())));
            talk.shakeHands(own);
            talk.shakeHands(own);
            if (program == CProgram.SEND_BW) {
                end.postReceives(sizeBytes);
                talk.shakeHands(own);
            }
            if (isClient) {
                end.run(opcode(), peer, sizeBytes, count);
            } else if (takesMessages) {
                end.awaitReceives();
            }
            if (program == CProgram.WRITE_BW) {
                talk.shakeHands(own);
                talk.exchangeReports();
            }
            talk.end(own);
        }
    }
}
