package io.vhca.harness.interop;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * What perftest's programs tell each other over TCP, version 6.06. Every exchange is the same: the client sends its
 * half first, the server answers with as many bytes. One thread.
 */
final class PerftestTalk implements Closeable {
    /** What an end says of its queue pair and its memory. */
    record Keys(int outstandingReads, int qpNum, int psn, int rkey, long address, long gidHigh, long gidLow) {
        private static final int FIELDS = 6;
        private static final int GID_BYTES = 16;
        /** With the zero byte at the end. */
        private static final int BYTES = 108;

        String encode() {
            final StringBuilder text = new StringBuilder(String.format(
                    Locale.ROOT, "%04x:%04x:%06x:%06x:%08x:%016x:", 0, outstandingReads, qpNum, psn, rkey, address));
            for (final byte octet :
                    ByteBuffer.allocate(GID_BYTES).putLong(gidHigh).putLong(gidLow).array()) {
                text.append(String.format(Locale.ROOT, "%02x:", octet));
            }
            // The number of a shared receive queue, which is none.
            return text.append("00000000:").toString();
        }

        /** @throws IOException when the text is none of perftest's */
        static Keys decode(final String text) throws IOException {
            final String[] fields = text.split(":", -1);
            if (fields.length < FIELDS + GID_BYTES) {
                throw new IOException("the peer sent '" + text + "', which are no keys of perftest");
            }
            final ByteBuffer gid = ByteBuffer.allocate(GID_BYTES);
            for (int i = 0; i < GID_BYTES; i++) {
                gid.put((byte) Integer.parseInt(fields[FIELDS + i], 16));
            }
            return new Keys(
                    Integer.parseInt(fields[1], 16),
                    Integer.parseInt(fields[2], 16),
                    Integer.parseInt(fields[3], 16),
                    Integer.parseUnsignedInt(fields[4], 16),
                    Long.parseUnsignedLong(fields[5], 16),
                    gid.getLong(0),
                    gid.getLong(Long.BYTES));
        }
    }

    private static final String VERSION = "6.06";
    private static final int VERSION_BYTES = 16;
    private static final int PAGE_BYTES = 4096;
    private static final int CACHE_LINE_BYTES = 64;
    private static final int REPORTED_FIGURES = 5;
    private static final int TIMEOUT_MS = 60_000;
    /** The C programs are ended after a minute. */
    private static final int MEET_MS = 70_000;
    private static final String END = "done";

    private final Socket socket;
    private final boolean isClient;
    private final DataInputStream in;
    private final OutputStream out;

    /** Takes the socket over. */
    PerftestTalk(final Socket socket, final boolean isClient) throws IOException {
        this.socket = socket;
        this.isClient = isClient;
        socket.setSoTimeout(TIMEOUT_MS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /** A program that comes to that listener. */
    static Socket accept(final ServerSocket listener, final CProgram program) throws IOException {
        return accept(listener, program, MEET_MS);
    }

    /** The same where it is waited for so long. */
    static Socket accept(final ServerSocket listener, final CProgram program, final int patienceMs)
            throws IOException {
        listener.setSoTimeout(patienceMs);
        try {
            return listener.accept();
        } catch (final SocketTimeoutException e) {
            throw new IOException(
                    program.title() + " has not connected to port " + listener.getLocalPort() + " in " + patienceMs
                            + " ms; its own output may say why", e);
        }
    }

    /** To where a program listens. */
    static Socket connect(final InetSocketAddress to, final CProgram program) throws IOException {
        final Socket socket = new Socket();
        try {
            socket.connect(to, MEET_MS);
            return socket;
        } catch (final IOException e) {
            socket.close();
            throw new IOException(program.title() + " at " + to + " does not take a connection: " + e.getMessage(), e);
        }
    }

    /** Versions, sizes of pages and cache lines, path MTU; gives the code of the peer's MTU. */
    int open(final int mtuCode) throws IOException {
        exchange(ByteBuffer.allocate(VERSION_BYTES)
                .put(VERSION.getBytes(StandardCharsets.US_ASCII))
                .array());
        exchange(ByteBuffer.allocate(Integer.BYTES).putInt(PAGE_BYTES).array());
        exchange(ByteBuffer.allocate(Integer.BYTES).putInt(CACHE_LINE_BYTES).array());
        return exchange(new byte[] {(byte) ('0' + mtuCode), 0})[0] - '0';
    }

    /** Tells the keys, and hears those of the peer. Also how the ends wait for each other. */
    Keys shakeHands(final Keys own) throws IOException {
        final byte[] message = ByteBuffer.allocate(Keys.BYTES)
                .put(own.encode().getBytes(StandardCharsets.US_ASCII))
                .array();
        return Keys.decode(new String(exchange(message), StandardCharsets.US_ASCII));
    }

    /** What a bandwidth test found; here nobody reads it. */
    void exchangeReports() throws IOException {
        for (int i = 0; i < REPORTED_FIGURES; i++) {
            exchange(new byte[Long.BYTES]);
        }
    }

    /** The end on which both agree. */
    void end(final Keys own) throws IOException {
        shakeHands(own);
        out.write((END + "\0").getBytes(StandardCharsets.US_ASCII));
    }

    private byte[] exchange(final byte[] own) throws IOException {
        if (isClient) {
            out.write(own);
        }
        final byte[] theirs = new byte[own.length];
        in.readFully(theirs);
        if (!isClient) {
            out.write(own);
        }
        return theirs;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
