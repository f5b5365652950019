package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.memory.RegisteredMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class BufferPoolTest {
    private final BufferPool pool = new BufferPool(0, bytes -> new RegisteredMemory.Chunk(4096, 1), 64, 10_000);

    private List<Buffer> post(final int node, final int count) {
        final List<Buffer> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final Buffer buffer = Objects.requireNonNull(pool.take());
            pool.posted(buffer, node);
            taken.add(buffer);
        }
        return taken;
    }

    /** What is looked at where the session with a node ends. */
    private List<Buffer> posted(final int node) {
        final List<Buffer> all = new ArrayList<>();
        for (Buffer one = pool.postedAt(node); one != null; one = one.postedBefore) {
            all.add(one);
        }
        return all;
    }

    /** So the end of one of a thousand sessions looks at no other one's. */
    @Test
    void whatIsPostedForANodeLeadsToItsOwnBuffersOnly() {
        int looks = 0;
        for (int node = 0; node < 1_000; node++) {
            post(node, 3);
        }
        for (int node = 0; node < 1_000; node++) {
            for (Buffer one = pool.postedAt(node); one != null; one = pool.postedAt(node)) {
                looks++;
                assertThat(one.postedAt).isEqualTo(node);
                pool.release(one);
            }
        }
        assertThat(looks).isEqualTo(3_000);
        assertThat(pool.postedAt(2_000)).isNull();
    }

    @Test
    void whatIsDoneOrArrivesIsTheSessionsNoMore() {
        final List<Buffer> of = post(7, 5);
        final List<Buffer> others = post(8, 2);
        pool.release(of.get(4));
        pool.unposted(of.get(2));
        pool.release(of.get(0));
        assertThat(posted(7)).containsExactly(of.get(3), of.get(1));
        pool.posted(of.get(2), 8);
        assertThat(posted(8)).containsExactly(of.get(2), others.get(1), others.get(0));
        pool.release(of.get(1));
        pool.release(of.get(3));
        assertThat(posted(7)).isEmpty();
        assertThat(of.get(2).postedAt).isEqualTo(8);
    }
}
