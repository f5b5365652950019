package io.vhca.harness.lab;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A command that runs in a machine: its input, its output with both streams in one, its exit code. Input and output may
 * be used by two threads; a connection each, so any number of them run at a time.
 */
public final class GuestCommand implements AutoCloseable {
    /** What a job asks of the host, and the answer: "ok", or why not. Called by the thread that reads the output. */
    interface Host {
        /** @param answer to be called once, by any thread, when the answer is known */
        void on(String request, Answer answer);
    }

    /** Takes the one answer to a request. */
    interface Answer {
        void say(String text);
    }

    /** A host that refuses everything. */
    static final Host NOBODY = (request, answer) -> answer.say("only a job of 'lab run' can ask for that");

    private static final String PID = "pid ";

    private final Socket socket;
    private final OutputStream input;
    private final GuestStream output;
    private final Host host;
    private volatile long pid;

    private GuestCommand(final Socket socket, final String mark, final Host host) throws IOException {
        this.socket = socket;
        this.host = host;
        input = socket.getOutputStream();
        output = new GuestStream(socket.getInputStream(), mark, this::on);
    }

    /**
     * Starts bash with a script.
     *
     * @param port the agent's, on the loopback address
     */
    static GuestCommand start(final int port, final String script, final Host host) throws IOException {
        final Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        final byte[] random = new byte[8];
        ThreadLocalRandom.current().nextBytes(random);
        final String mark = HexFormat.of().formatHex(random);
        final GuestCommand command = new GuestCommand(socket, mark, host);
        final String encoded = Base64.getEncoder().encodeToString(script.getBytes(StandardCharsets.UTF_8));
        command.write((mark + " " + encoded + "\n").getBytes(StandardCharsets.US_ASCII));
        return command;
    }

    private void on(final String text) {
        if (text.startsWith(PID)) {
            pid = Long.parseLong(text.substring(PID.length()));
        } else {
            host.on(text, this::answer);
        }
    }

    private void answer(final String text) {
        try {
            write((text + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (final IOException e) {
            // The command is gone; whoever reads its output sees that.
        }
    }

    private synchronized void write(final byte[] bytes) throws IOException {
        input.write(bytes);
        input.flush();
    }

    /** The command's standard input. */
    public OutputStream input() {
        return input;
    }

    /** Ends the command's input. */
    public void endInput() throws IOException {
        socket.shutdownOutput();
    }

    /** What the command prints; ends with the command. */
    public InputStream output() {
        return output;
    }

    /** Once the output has ended: the exit code, or 255 when the machine or the connection was lost. */
    public int exitCode() {
        return output.exitCode();
    }

    /** A read that waits longer fails; 0 waits for ever. */
    void patience(final int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    /** The process and its group in the machine; 0 until the first output was read. */
    public long pid() {
        return pid;
    }

    /** Drops the connection; a command that still runs sees the end of its input. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (final IOException e) {
            // Nothing more can be done about a connection than to let it go.
        }
    }
}
