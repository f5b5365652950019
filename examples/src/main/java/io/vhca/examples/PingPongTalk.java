package io.vhca.examples;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * The exchange over TCP before a ping-pong, as the C programs have it: the client sends its address and gets the
 * server's; then it says that it is ready. Texts end with a zero byte and have a fixed length. One thread.
 */
final class PingPongTalk implements Closeable {
    private static final int SOCKET_TIMEOUT_MS = 30_000;
    private static final int ADDRESS_BYTES = 4 + 1 + 6 + 1 + 6 + 1 + 32 + 1;
    private static final String READY = "done";

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    /** Takes the socket over. */
    PingPongTalk(final Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(SOCKET_TIMEOUT_MS);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    void send(final PingPongAddress address) throws IOException {
        write(address.encode());
    }

    PingPongAddress receive() throws IOException {
        return PingPongAddress.decode(read(ADDRESS_BYTES));
    }

    void sendReady() throws IOException {
        write(READY);
    }

    void awaitReady() throws IOException {
        read(READY.length() + 1);
    }

    /** Says that this end has all, and waits until the other has too: what was acknowledged is not taken away. */
    void awaitEnd() throws IOException {
        socket.shutdownOutput();
        if (in.read() >= 0) {
            throw new IOException("the peer sends on though the exchange is over");
        }
    }

    private void write(final String text) throws IOException {
        out.write((text + "\0").getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private String read(final int lengthBytes) throws IOException {
        final byte[] bytes = in.readNBytes(lengthBytes);
        if (bytes.length < lengthBytes) {
            throw new IOException("the peer hung up during the exchange; its own output says why");
        }
        return new String(bytes, 0, lengthBytes - 1, StandardCharsets.US_ASCII);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
