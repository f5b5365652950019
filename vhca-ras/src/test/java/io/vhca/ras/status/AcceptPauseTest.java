package io.vhca.ras.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** That nobody can be accepted is said once each time that it begins. */
class AcceptPauseTest {
    private final AcceptPause pause = new AcceptPause("socket: nobody can give orders");

    private void fail(final Throwable why) {
        LockSupport.unpark(Thread.currentThread());
        pause.await(why);
    }

    @Test
    void itIsSaidAgainOnceSomebodyWasServed() throws IOException {
        try (OutOfDescriptors log = new OutOfDescriptors(0)) {
            final Throwable full = new OutOfMemoryError("Java heap space");
            fail(new IOException("Too many open files"));
            fail(full);
            assertThat(log.logged()).singleElement().satisfies(line -> {
                assertThat(line.getMessage())
                        .isEqualTo("socket: nobody can give orders for now (Too many open files); it is tried again."
                                + " Where descriptors are what is missing, raise `ulimit -n`");
                assertThat(line.getThrown()).isNull();
            });
            pause.over();
            fail(full);
            assertThat(log.logged()).hasSize(2).last().satisfies(line -> {
                assertThat(line.getMessage()).contains("(Java heap space)");
                assertThat(line.getThrown()).isSameAs(full);
            });
        }
    }
}
