package io.vhca.harness.cli;

import io.vhca.tool.Vhca;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;

/** The tool inside this process, without a terminal, and what its last run has printed so far. */
public final class Tool {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** Forgets what was printed before; gives the exit code. */
    public int run(final String... args) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Vhca.commandLineFor(args)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }

    /** The same where nobody takes what is printed. */
    public int runWithoutReader(final String... args) {
        final Writer gone = new Writer() {
            @Override
            public void write(final char[] text, final int offset, final int length) throws IOException {
                throw new IOException("Broken pipe");
            }

            @Override
            public void flush() throws IOException {
                throw new IOException("Broken pipe");
            }

            @Override
            public void close() {}
        };
        return Vhca.commandLineFor(args)
                .setOut(new PrintWriter(gone, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }

    /** Waits for a snapshot whose line has those words; the name of the last one that has, which is then shown. */
    public String awaitSnapshot(final String words) {
        while (run("snapshot", "list") != 0 || !out().contains(words)) {
            Thread.yield();
        }
        final String name = out().lines()
                .filter(line -> line.contains(words))
                .reduce((one, other) -> other)
                .orElseThrow()
                .split(" ", 2)[0];
        if (run("snapshot", "show", name) != 0) {
            throw new AssertionError(all());
        }
        return name;
    }

    public String out() {
        return out.toString();
    }

    public String err() {
        return err.toString();
    }

    /** Both, to say why an exit code is another one than expected. */
    public String all() {
        return out() + err();
    }
}
