package io.vhca.harness.bench;

import io.vhca.harness.drill.fabric.ChildProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The two processes between which wires are compared, each with two soft devices and a bond over them, and their
 * conversation. Owns both. One thread.
 */
final class WirePair implements AutoCloseable {
    private static final String SERVER = "127.78.1.1";
    private static final String CLIENT = "127.78.2.1";

    private final BenchTalk talk;

    private WirePair(final BenchTalk talk) {
        this.talk = talk;
    }

    /**
     * Starts them, and returns when all wires are open.
     *
     * @param wires   as {@link BenchPeer} names them
     * @param served  how many of them have a server
     * @param window  most requests outstanding
     * @param size    longest message, bytes
     * @param sockets where the shared driver of each side listens, server's and client's; empty for none
     */
    static WirePair open(
            final List<String> wires, final int served, final int window, final int size, final List<String> sockets)
            throws IOException, InterruptedException {
        final BlockingQueue<ChildProcess.Said> said = new LinkedBlockingQueue<>();
        final List<String> ends = List.of("server", SERVER, CLIENT, "client", CLIENT, SERVER);
        final List<ChildProcess> children = new ArrayList<>();
        boolean isDone = false;
        try {
            for (int side = 0; side < 2; side++) {
                final List<String> end = ends.subList(3 * side, 3 * side + 3);
                final List<String> properties = properties(end.get(1), 1);
                if (!sockets.isEmpty()) {
                    properties.add("vhca.rdp.socket.dir=" + sockets.get(side));
                }
                final List<String> args = new ArrayList<>(end);
                args.addAll(List.of(String.valueOf(window), String.valueOf(size), String.join(",", wires)));
                children.add(ChildProcess.start(end.getFirst(), List.of(), properties, BenchPeer.class, args, said));
            }
            final BenchTalk talk = new BenchTalk(said, children.getFirst(), children.getLast());
            talk.connect(served);
            isDone = true;
            return new WirePair(talk);
        } finally {
            if (!isDone) {
                children.forEach(ChildProcess::close);
            }
        }
    }

    /**
     * What a process on that side is started with.
     *
     * @param own   an address of the side
     * @param first of its devices' addresses, the last number
     */
    static List<String> properties(final String own, final int first) {
        final String network = own.substring(0, own.lastIndexOf('.') + 1);
        return new ArrayList<>(List.of(
                "vhca.soft=soft0=" + network + first + ",soft1=" + network + (first + 1),
                "vhca.bond=bond0: mode=active-backup members=soft0,soft1"));
    }

    /** An address of the server's side, or of the client's. */
    static String address(final boolean ofServer) {
        return ofServer ? SERVER : CLIENT;
    }

    BenchTalk talk() {
        return talk;
    }

    @Override
    public void close() {
        talk.close();
    }
}
