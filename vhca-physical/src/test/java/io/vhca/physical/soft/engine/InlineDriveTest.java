package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AsyncEvent;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Gid;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.Destination;
import io.vhca.physical.soft.engine.core.NicEvents;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import java.net.InetAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How often posting and polling look for packets and send: each is a system call on a real carrier. */
class InlineDriveTest implements Carrier, NicEvents {
    private int looks;
    private int flushes;
    private int packetsDue;
    private long nowNs;
    /** How long receiving them takes. */
    private long receiveNs;
    private final Engine engine = new Engine("soft0", this, new SoftNicConfig(), this);
    private final InlineDrive inline = new InlineDrive(engine, () -> nowNs);

    @AfterEach
    void closeEngine() {
        engine.acquire();
        engine.close();
        engine.release();
    }

    @Test
    void onlyEverySixteenthPostLooksForPackets() {
        for (int i = 1; i <= 3 * InlineDrive.POSTS_BEFORE_RECEIVE; i++) {
            inline.onPost(false);
            assertThat(looks).isEqualTo(i / InlineDrive.POSTS_BEFORE_RECEIVE);
        }
    }

    @Test
    void aPollIsALookAndStartsTheCountOfPostsAgain() {
        for (int i = 1; i < InlineDrive.POSTS_BEFORE_RECEIVE; i++) {
            inline.onPost(false);
        }
        assertThat(inline.onPoll(false)).isTrue();
        inline.onPost(false);

        assertThat(looks).isEqualTo(1);
    }

    @Test
    void aDeviceIdleForLongIsLookedAtByEveryEighthPollUntilSomethingComes() {
        for (int i = 0; i < InlineDrive.IDLE_BEFORE_REST; i++) {
            assertThat(inline.onPoll(false)).isTrue();
        }
        looks = 0;
        final int rounds = 200;
        for (int i = 0; i < rounds * InlineDrive.REST_STRIDE; i++) {
            inline.onPoll(false);
        }
        assertThat(looks).isEqualTo(rounds);

        packetsDue = 1;
        for (int i = 0; i < InlineDrive.REST_STRIDE; i++) {
            inline.onPoll(false);
        }
        looks = 0;
        inline.onPoll(false);
        inline.onPoll(false);
        assertThat(looks).isEqualTo(2);
    }

    @Test
    void postsInABurstThatFollowUnansweredOnesGoTogether() {
        nowNs = 1;
        inline.onPoll(false);
        flushes = 0;
        for (int i = 1; i <= 3 * InlineDrive.POSTS_BEFORE_SEND; i++) {
            inline.onPost(true);
            assertThat(flushes).as("after %d posts", i).isEqualTo(i / InlineDrive.POSTS_BEFORE_SEND);
        }
    }

    @Test
    void aPostThatNothingWillFollowGoesAtOnce() {
        inline.onPoll(false);
        flushes = 0;
        inline.onPost(false);
        assertThat(flushes).as("nothing is under way whose answer would send it").isEqualTo(1);
        inline.onPost(true);
        assertThat(flushes).isEqualTo(1);
        nowNs += InlineDrive.BURST_NS;
        inline.onPost(true);
        assertThat(flushes).as("it came late").isEqualTo(2);
        inline.onPost(true);
        inline.onPoll(false);
        assertThat(flushes).as("a poll sends what waits").isEqualTo(3);
    }

    /** What a poll received is what the posts answer, and took longer than a burst. */
    @Test
    void aBurstBeginsBehindWhatTheEngineDid() {
        packetsDue = 1;
        receiveNs = 2 * InlineDrive.BURST_NS;
        inline.onPoll(true);
        inline.onPost(true);
        inline.onPost(true);
        assertThat(flushes).isZero();
    }

    @Test
    void postsThatWaitedCountForTheNextLook() {
        inline.onPoll(false);
        looks = 0;
        for (int i = 0; i < InlineDrive.POSTS_BEFORE_RECEIVE - 1; i++) {
            inline.onPost(true);
        }
        assertThat(looks).isZero();
        inline.onPost(true);
        assertThat(looks).isEqualTo(1);
    }

    @Test
    void aPollThatHoldsLeavesTheCarrierAlone() {
        inline.onPoll(true);
        assertThat(looks).isEqualTo(1);
        assertThat(flushes).isZero();
        inline.onPoll(false);
        assertThat(flushes).isEqualTo(1);
    }

    // Carrier: never anything but what is due.

    @Override
    public Gid address() {
        return Gid.of(InetAddress.getLoopbackAddress());
    }

    @Override
    public int sourcePort() {
        return 1;
    }

    @Override
    public int maxPacketBytes() {
        return 1024 + 64;
    }

    @Override
    public boolean isUp() {
        return true;
    }

    @Override
    public boolean reaches(final Gid destination) {
        return true;
    }

    @Override
    public int route(final Destination destination) {
        return 0;
    }

    @Override
    public void release(final int route) {
        // There is one route.
    }

    @Override
    public boolean send(final int route, final long packetAddress, final int lengthBytes) {
        return true;
    }

    @Override
    public void flush() {
        flushes++;
    }

    @Override
    public int receive(final PacketHandler handler, final int limit) {
        looks++;
        final int count = packetsDue;
        packetsDue = 0;
        nowNs += count * receiveNs;
        return count;
    }

    @Override
    public void close() {
        // Nothing is held.
    }

    // NicEvents.

    @Override
    public void asyncEvent(final AsyncEvent event) {
        // None matters here.
    }

    @Override
    public void firstRequest(final int qpNum) {
        // None matters here.
    }

    @Override
    public void cqEvent(final CompletionQueue cq) {
        throw new AssertionError("there is no CQ");
    }

    @Override
    public void mad(final long sourceHigh, final long sourceLow, final int sourceQp, final long madAddress) {
        throw new AssertionError("no packet was sent");
    }
}
