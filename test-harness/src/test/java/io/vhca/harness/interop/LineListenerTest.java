package io.vhca.harness.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import org.junit.jupiter.api.Test;

/** Who waits for a line is called once for each. */
class LineListenerTest {
    private int calls;

    @Test
    void isCalledAtTheEndOfALineThatBeginsSo() {
        final PrintWriter out = new PrintWriter(new LineListener("listening", () -> calls++), true);
        out.print("listening on");
        out.flush();
        assertThat(calls).isZero();
        out.println(" port 1");
        assertThat(calls).isEqualTo(1);
        out.println("not listening");
        out.println("listening again");
        assertThat(calls).isEqualTo(2);
    }
}
