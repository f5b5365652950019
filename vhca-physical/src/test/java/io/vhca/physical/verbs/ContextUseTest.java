package io.vhca.physical.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application closes a context while another of its threads asks it something. */
class ContextUseTest {
    private final ContextUse use = new ContextUse();
    /** What the call has made of the context. */
    private final List<String> made = new ArrayList<>();

    private void requireOpen() {
        if (use.isClosed()) {
            throw new IllegalStateException("closed");
        }
    }

    private void requireNone() {
        if (!made.isEmpty()) {
            throw new IllegalStateException(made + " still open");
        }
    }

    private Thread closing() {
        final Thread closer = Thread.ofPlatform().daemon().unstarted(() -> use.close(true, this::requireNone));
        closer.setUncaughtExceptionHandler((thread, refused) -> { });
        closer.start();
        while (closer.getState() != Thread.State.WAITING && closer.isAlive()) {
            Thread.onSpinWait();
        }
        return closer;
    }

    @Test
    @Timeout(60)
    void theCloseWaitsForTheCallAndTheNextCallFindsItClosed() throws InterruptedException {
        final Thread closer = use.during(this::requireOpen, () -> {
            final Thread waits = closing();
            assertThat(use.isClosed()).as("the call reads it still").isFalse();
            return waits;
        });
        closer.join();
        assertThat(use.isClosed()).isTrue();
        assertThatThrownBy(() -> use.during(this::requireOpen, () -> made.add("pd"))).hasMessage("closed");
        assertThat(made).isEmpty();
    }

    @Test
    @Timeout(60)
    void whatTheCallHasMadeKeepsItOpen() throws InterruptedException {
        final Thread closer = use.during(this::requireOpen, () -> {
            final Thread waits = closing();
            made.add("pd");
            return waits;
        });
        closer.join();
        assertThat(use.isClosed()).isFalse();
        assertThat(use.during(this::requireOpen, made::removeLast)).isEqualTo("pd");
        assertThat(use.close(true, this::requireNone)).isTrue();
        assertThat(use.isClosed()).isTrue();
    }

    /** Another thread's: the same one may come back to a lock that it has. */
    @Test
    @Timeout(60)
    void whoIsNotToWaitIsTold() {
        assertThat(use.during(this::requireOpen, () -> CompletableFuture.supplyAsync(
                                () -> use.close(false, this::requireNone))
                        .join()))
                .isFalse();
        assertThat(use.isClosed()).isFalse();
        assertThat(use.close(false, this::requireNone)).isTrue();
        assertThat(use.isClosed()).isTrue();
    }
}
