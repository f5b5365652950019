package io.vhca.harness.bench;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.harness.drill.fabric.ChildProcess.Said;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillPeer;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the two processes of a benchmark say, in whatever order. */
@Timeout(300)
class BenchTalkTest {
    /** Nobody says more than what is there: whoever waits has waited long enough. */
    private static final class Spoken extends LinkedBlockingQueue<Said> {
        private static final long serialVersionUID = 1;

        @Override
        public Said poll(final long timeout, final TimeUnit unit) {
            return poll();
        }
    }

    /** It does nothing. */
    private static final class Nobody implements DrillPeer {
        @Override
        public void tell(final DrillLine line) {
            // It hears nothing.
        }

        @Override
        public void kill() {
            // There is none.
        }

        @Override
        public String noise() {
            return "";
        }

        @Override
        public void close() {
            // There is none.
        }
    }

    private final BlockingQueue<Said> said = new Spoken();
    private final BenchTalk talk = new BenchTalk(said, new Nobody(), new Nobody());

    private void says(final String child, final DrillLine line) {
        said.add(new Said(child, line));
    }

    @Test
    void eitherMayBeUpFirst() {
        says("client", DrillLine.of("up"));
        says("server", DrillLine.of("up"));
        assertThatCode(() -> talk.connect(0)).doesNotThrowAnyException();
        says("server", DrillLine.of("up"));
        says("client", DrillLine.of("up"));
        assertThatCode(() -> talk.connect(0)).doesNotThrowAnyException();
    }

    /** And not waited for by a loop that takes the client's word again and again. */
    @Test
    void aServerThatIsNeverUpIsWaitedForAsLongAsForAnyWord() {
        says("client", DrillLine.of("up"));
        assertThatThrownBy(() -> talk.connect(0))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the server said nothing for ")
                .hasMessageContaining("'up' was due");
    }
}
