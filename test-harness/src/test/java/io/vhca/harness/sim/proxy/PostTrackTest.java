package io.vhca.harness.sim.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.WrOpcode;
import org.junit.jupiter.api.Test;

/** What is in doubt after a failure is no more than marks allow. */
class PostTrackTest {
    private static final int BATCH = 8;

    private static PostTrack written(final int writes, final int... marks) {
        final PostTrack track = new PostTrack(BATCH);
        for (int sequence = 0; sequence < writes; sequence++) {
            assertThat(track.onRequest(sequence, WrOpcode.RDMA_WRITE.code(), true)).isEmpty();
        }
        for (final int mark : marks) {
            track.onMark(mark);
        }
        return track;
    }

    @Test
    void aBatchMayBeInDoubtAndNotOneMore() {
        assertThat(written(BATCH).onNegotiated(0, 0)).isEmpty();
        assertThat(written(BATCH + 1).onNegotiated(0, 0)).startsWith("9 WRITEs or atomics are in doubt from 0 on");
        assertThat(written(20, 7, 15).onNegotiated(0, 0)).isEmpty();
        assertThat(written(20, 7, 15).onNegotiated(0, 8)).isEmpty();
        assertThat(written(20, 8).onNegotiated(0, 0)).startsWith("9 ");
    }

    @Test
    void aMessageThatThePeerDoesNotHaveProvesAsMuchAsAMark() {
        final PostTrack track = written(BATCH);
        track.onRequest(BATCH, WrOpcode.SEND.code(), true);
        track.onRequest(BATCH + 1, WrOpcode.RDMA_WRITE.code(), true);
        assertThat(track.onNegotiated(0, 0)).isEmpty();
    }
}
