package io.vhca.rdp.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.System.Logger;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of turns that fail keeps no thread from the next one. */
class FailedTurnsTest {
    @Test
    void aLineThatThereIsNoMemoryForIsSaidByTheNextTurn() {
        final List<String> said = new ArrayList<>();
        final boolean[] isFull = {true};
        final Logger logger = (Logger) Proxy.newProxyInstance(
                FailedTurnsTest.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
                    if (isFull[0]) {
                        throw new OutOfMemoryError("for a moment");
                    }
                    said.add(String.valueOf(arguments[1]));
                    return null;
                });
        final FailedTurns failures = new FailedTurns(logger, "a test");
        final OutOfMemoryError failed = new OutOfMemoryError("of the turn");
        failures.warn(failed);
        isFull[0] = false;
        failures.warn(failed);
        failures.warn(failed);
        assertThat(said).containsExactly("a turn of a test failed, it is tried again: of the turn");
    }
}
