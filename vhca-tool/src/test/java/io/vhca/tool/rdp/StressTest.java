package io.vhca.tool.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a stress says in the end, of sockets that got back those numbers. */
@Timeout(60)
class StressTest {
    /** Over as soon as it has begun. */
    private static final StressPlan NONE = new StressPlan(1, 2, 1, 20, 20, 4_000, 0);

    /** Counts that, one time after the other; then its sockets have failed. */
    private static StressPart part(final long[]... received) {
        final Queue<long[]> left = new ArrayDeque<>(Arrays.asList(received));
        return new StressPart() {
            @Override
            public void begin() {}

            @Override
            public Sample sample() throws IOException {
                if (left.isEmpty()) {
                    throw new IOException("no acknowledgement");
                }
                return new Sample(
                        LongStream.of(left.remove()).mapToObj(n -> new StressCount(n, n, n, 0, 0)).toList(), 0);
            }

            @Override
            public void close() {}
        };
    }

    private static String said(final StressPart... parts) throws InterruptedException {
        try (Stress stress = new Stress(NONE, new PrintWriter(Writer.nullWriter()))) {
            List.of(parts).forEach(stress::add);
            return stress.request();
        }
    }

    @Test
    void aSocketThatGotNothingIsNotHiddenByTheOthersAndMayBeLate() throws InterruptedException {
        assertThat(said(part(new long[] {7, 0}, new long[] {8, 0}))).isEqualTo("no acknowledgement");
        assertThat(said(part(new long[] {7}, new long[] {8}), part(new long[] {0}, new long[] {0})))
                .isEqualTo("no acknowledgement");
        assertThat(said(part(new long[] {7, 0}, new long[] {8, 0}, new long[] {8, 1}))).isEmpty();
    }

    @Test
    void whereNothingCameBackUntilThenItMayBeLateToo() throws InterruptedException {
        assertThat(said(part(new long[] {0, 0}, new long[] {0, 0}, new long[] {1, 1}))).isEmpty();
        assertThat(said(part(new long[] {0, 0}, new long[] {0, 0}))).isEqualTo("no acknowledgement");
    }

    @Test
    void aServerIsAliveWhenEachSocketGetsOneMore() throws InterruptedException {
        assertThat(said(part(new long[] {7, 9}, new long[] {8, 9}, new long[] {8, 9}, new long[] {8, 10}))).isEmpty();
    }

    /** It had answered until then, so the run had passed. */
    @Test
    void oneThatHasDiedInTheMiddleIsFoundInTheEnd() throws InterruptedException {
        assertThat(said(part(new long[] {7, 9}, new long[] {8, 9}, new long[] {8, 9}))).isEqualTo("no acknowledgement");
    }
}
