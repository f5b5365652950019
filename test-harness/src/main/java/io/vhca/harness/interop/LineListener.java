package io.vhca.harness.interop;

import java.io.Writer;

/** Calls somebody when a line that begins with a word is written; what is written is gone. One thread. */
final class LineListener extends Writer {
    private final String word;
    private final Runnable action;
    private final StringBuilder line = new StringBuilder();

    LineListener(final String word, final Runnable action) {
        this.word = word;
        this.action = action;
    }

    @Override
    public void write(final char[] text, final int offset, final int length) {
        for (int i = offset; i < offset + length; i++) {
            if (text[i] == '\n') {
                final boolean isIt = line.toString().startsWith(word);
                line.setLength(0);
                if (isIt) {
                    action.run();
                }
            } else {
                line.append(text[i]);
            }
        }
    }

    @Override
    public void flush() {
        // Lines are judged as they end.
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
