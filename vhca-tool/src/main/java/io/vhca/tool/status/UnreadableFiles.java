package io.vhca.tool.status;

import io.vhca.ras.file.ShownText;
import io.vhca.tool.console.FailureHandler;
import java.io.PrintWriter;
import java.util.function.Consumer;

/** Says of each file that cannot be read why, in one line, and that there was one by the exit code. */
public final class UnreadableFiles implements Consumer<String> {
    private final PrintWriter err;
    private int count;

    public UnreadableFiles(final PrintWriter err) {
        this.err = err;
    }

    @Override
    public void accept(final String problem) {
        count++;
        err.println(ShownText.line(problem));
    }

    /** Of a command that has shown the others. */
    public int exitCode() {
        return count == 0 ? 0 : FailureHandler.BAD;
    }
}
