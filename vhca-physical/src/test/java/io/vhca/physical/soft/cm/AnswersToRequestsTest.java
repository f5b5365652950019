package io.vhca.physical.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.soft.cm.message.CmMessages;
import io.vhca.physical.soft.cm.message.CmRoute;
import io.vhca.physical.soft.cm.message.CommIds;
import io.vhca.physical.soft.cm.message.ConnInput;
import io.vhca.physical.soft.cm.message.RejDescriptor;
import io.vhca.physical.soft.cm.message.ServiceId;
import io.vhca.physical.soft.cm.message.SidrRepDescriptor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What the answers to a request say on the wire, for managers that read all of it (vol. 1, 12.6 and 12.11). */
class AnswersToRequestsTest {
    private static final Consumer<CmId> NO = id -> id.reject(new byte[0]);

    private static ByteBuffer answer(final StrangerWorld world) {
        return world.sent.getLast().mad();
    }

    private static ConnInput last(final StrangerWorld world) {
        return world.sent.getLast().message().type();
    }

    private static int rejected(final StrangerWorld world) {
        return (answer(world).get(RejDescriptor.MESSAGE_OFFSET) & 0xFF) >>> 6;
    }

    @Test
    void whoeverAskedForAServiceIsToldOfWhich() {
        final StrangerWorld world = new StrangerWorld(0);
        world.listen(CmPortSpace.UDP, 0);
        final long wanted = ServiceId.of(CmPortSpace.UDP, StrangerWorld.PORT);
        int commId = 1;
        for (final Consumer<CmId> decision :
                List.<Consumer<CmId>>of(id -> id.accept(ConnectParameters.of(new byte[0])), NO)) {
            world.onRequest = decision;
            world.deliver(
                    StrangerWorld.PEER,
                    CmMessages.sidrReq(
                            new CommIds(commId, 0, commId),
                            new CmRoute(StrangerWorld.PEER, 9, 50_000, HandDrivenHost.ADDRESS, StrangerWorld.PORT),
                            new byte[0]));
            assertThat(answer(world).getInt(SidrRepDescriptor.REQUEST_ID_OFFSET)).isEqualTo(commId);
            assertThat(answer(world).getLong(SidrRepDescriptor.SERVICE_ID_OFFSET)).isEqualTo(wanted);
            commId++;
        }
    }

    @Test
    void aRejectionSaysWhatItAnswers() {
        final StrangerWorld world = new StrangerWorld(0);
        world.establish(9, 9); // a stranger has one answer to each of its messages
        world.onRequest = NO;
        world.request(StrangerWorld.PEER, 1, 1);
        assertThat(rejected(world)).isEqualTo(RejDescriptor.MESSAGE_REQ);
        world.onRequest = id -> {
            StrangerWorld.accept(id);
            id.close(); // before the RTU: what is withdrawn is its own REP, and the peer has sent none
        };
        world.request(StrangerWorld.PEER, 2, 2);
        assertThat(rejected(world)).isEqualTo(RejDescriptor.MESSAGE_OTHER);
    }

    /** The device's thread may sleep beyond the deadline that it knows. */
    @Test
    void whoSleepsIsToldOfTheDeadlineOfAnAnswerAndOfAGoodbye() {
        final StrangerWorld world = new StrangerWorld(0);
        final CmId id = world.establish(9, 9);
        final int before = world.wakeUps;
        id.close();
        assertThat(last(world)).isEqualTo(ConnInput.DREQ);
        assertThat(world.wakeUps).as("it is sent again where it is lost").isEqualTo(before + 1);
        world.onRequest = asked -> {
            final int beforeAnswer = world.wakeUps;
            asked.reject(new byte[0]);
            assertThat(world.wakeUps).isEqualTo(beforeAnswer + 1);
        };
        world.request(StrangerWorld.PEER, 1, 1);
        assertThat(last(world)).isEqualTo(ConnInput.REJ);
    }
}
