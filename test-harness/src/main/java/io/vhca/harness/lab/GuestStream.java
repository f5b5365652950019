package io.vhca.harness.lab;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * A command's output without the lines between agent and host: {@code \001MARK TEXT\n}, anywhere in the stream. Ends
 * with the line "exit N", or when the connection does. One thread.
 */
final class GuestStream extends InputStream {
    /** What {@link #exitCode} says when the connection went away before the command ended. */
    static final int LOST = 255;

    private static final int ESCAPE = 1;
    private static final String EXIT = "exit ";

    private final InputStream in;
    private final byte[] head;
    private final Consumer<String> control;
    private final byte[] chunk = new byte[8192];
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private byte[] ready = new byte[0];
    private int position;
    private boolean isEscaped;
    private boolean isEnded;
    private int exitCode = LOST;

    /** @param control hears the lines between agent and host, less their head, but not the last one */
    GuestStream(final InputStream in, final String mark, final Consumer<String> control) {
        this.in = in;
        this.control = control;
        head = (mark + " ").getBytes(StandardCharsets.US_ASCII);
    }

    /** The command's exit code, or {@link #LOST}; known once the stream has ended. */
    int exitCode() {
        return exitCode;
    }

    @Override
    public int read() throws IOException {
        final byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(final byte[] target, final int offset, final int length) throws IOException {
        while (position == ready.length) {
            if (isEnded || !fill()) {
                return -1;
            }
        }
        final int count = Math.min(length, ready.length - position);
        System.arraycopy(ready, position, target, offset, count);
        position += count;
        return count;
    }

    private boolean fill() throws IOException {
        final int count = in.read(chunk);
        final ByteArrayOutputStream output = new ByteArrayOutputStream();
        if (count < 0) {
            isEnded = true;
            output.writeBytes(line.toByteArray());
        }
        for (int i = 0; i < count && !isEnded; i++) {
            take(chunk[i], output);
        }
        ready = output.toByteArray();
        position = 0;
        return ready.length > 0 || !isEnded;
    }

    private void take(final byte b, final ByteArrayOutputStream output) {
        if (!isEscaped) {
            if (b == ESCAPE) {
                isEscaped = true;
                line.reset();
                line.write(b);
            } else {
                output.write(b);
            }
            return;
        }
        final int index = line.size() - 1;
        line.write(b);
        if (index < head.length && b != head[index]) {
            // A byte of the command's own that looked like ours.
            output.writeBytes(line.toByteArray());
            line.reset();
            isEscaped = false;
        } else if (b == '\n') {
            final String text = line.toString(StandardCharsets.UTF_8).substring(1 + head.length).stripTrailing();
            line.reset();
            isEscaped = false;
            on(text);
        }
    }

    private void on(final String text) {
        if (text.startsWith(EXIT)) {
            exitCode = Integer.parseInt(text.substring(EXIT.length()));
            isEnded = true;
        } else {
            control.accept(text);
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
