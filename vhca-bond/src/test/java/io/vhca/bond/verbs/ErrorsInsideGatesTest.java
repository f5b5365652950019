package io.vhca.bond.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.SrqAttributes;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Checks;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.core.Inspection;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.queue.OwedRing;
import io.vhca.bond.queue.SpinGate;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An observer that is told of what was found inside a gate calls the bond, and must not wait for its own thread. */
class ErrorsInsideGatesTest {
    private static final int TOO_MANY = 3;

    private final TwoBonds bonds = new TwoBonds(options -> options.set(BondOption.CHECKS, Checks.FULL));
    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void close() {
        bonds.close();
        arena.close();
    }

    /** Is told of an error with those words, and calls what passes that gate. */
    private final class Caller implements BondObserver {
        private final String words;
        private final SpinGate gate;
        private final Runnable call;
        private final List<Boolean> free = new ArrayList<>();

        private Caller(final String words, final SpinGate gate, final Runnable call) {
            this.words = words;
            this.gate = gate;
            this.call = call;
            bonds.a.context().admin().observe(this);
        }

        @Override
        public void onError(final Counter kind, final Throwable error) {
            if (String.valueOf(error.getMessage()).contains(words)) {
                free.add(gate.tryEnter());
                if (free.getLast()) {
                    gate.leave();
                    call.run();
                }
            }
        }

        private void assertToldInTheNextTurn() {
            assertThat(free).as("told inside").isEmpty();
            bonds.settle();
            assertThat(free).containsExactly(true);
        }
    }

    private void inspect(final BondQueuePair qp) {
        bonds.a.context().admin().inspect(qp.qpNum(), new Inspection() {
            @Override
            public void section(final String title) {}

            @Override
            public void value(final String name, final Object value) {}
        });
    }

    @Test
    void aSendThatIsRefused() {
        final BondQueuePair qp = bonds.connect().active().qp();
        final Caller caller = new Caller("postSend on " + qp, qp.sendQueue(), () -> inspect(qp));
        assertThat(qp.postSend(SendWorkRequest.allocate(arena, TOO_MANY).opcode(WrOpcode.SEND).numSge(TOO_MANY)))
                .isEqualTo(-Errno.EINVAL);
        caller.assertToldInTheNextTurn();
    }

    @Test
    void aReceiveThatIsRefused() {
        final BondQueuePair qp = bonds.connect().active().qp();
        final Caller caller = new Caller("postRecv on " + qp, qp.recvQueue(), () -> inspect(qp));
        assertThat(qp.postRecv(RecvWorkRequest.allocate(arena, TOO_MANY).numSge(TOO_MANY))).isEqualTo(-Errno.EINVAL);
        caller.assertToldInTheNextTurn();
    }

    @Test
    void aSharedReceiveThatIsRefused() {
        final BondSharedReceiveQueue srq =
                (BondSharedReceiveQueue) bonds.closing(bonds.a.pd().createSrq(new SrqAttributes(4, 1, 0)));
        final Caller caller = new Caller("postSrqRecv", srq, srq::query);
        assertThat(srq.postRecv(RecvWorkRequest.allocate(arena, TOO_MANY).numSge(TOO_MANY))).isEqualTo(-Errno.EINVAL);
        caller.assertToldInTheNextTurn();
    }

    /** Its device died, and the event of that is still on the way. */
    @Test
    void aMemberThatCannotBeAskedForAnEvent() {
        final CompletionQueue cq = bonds.closing(bonds.a.context().createCq(8, null, null));
        final Caller caller = new Caller("reqNotifyCq on a1", (SpinGate) cq, cq::pending);
        bonds.a.device(1).dieSilently();
        cq.reqNotify(false);
        caller.assertToldInTheNextTurn();
    }

    @Test
    void aRingOfOwedCompletionsThatWasOverrun() {
        final BondCompletionQueue cq = (BondCompletionQueue) bonds.a.context().createCq(8, null, null);
        final Caller caller = new Caller("checkMemory on " + cq, cq, cq::pending);
        bonds.a.locked(() -> bonds.a.verbs().core().memory().freeze(arena, SystemNanoClock.INSTANCE, object -> {
            if (object instanceof OwedRing ring && ring.toString().equals(cq.toString())) {
                NativeMemory.putByte(ring.nativeBlock().parts().getFirst().marker(true), (byte) 0x41);
            }
        }));
        cq.close();
        caller.assertToldInTheNextTurn();
    }

    /** Who posts nonsense without a pause gives the bond no turn without an end. */
    @Test
    void ofManyInOneTurnTheRestIsOnlyCounted() {
        final BondQueuePair qp = bonds.connect().active().qp();
        final Caller caller = new Caller("postRecv on " + qp, qp.recvQueue(), () -> inspect(qp));
        final RecvWorkRequest wrong = RecvWorkRequest.allocate(arena, TOO_MANY).numSge(TOO_MANY);
        final long before = bonds.a.count(Counter.POSTS_REFUSED);
        for (int i = 0; i < 100; i++) {
            assertThat(qp.postRecv(wrong)).isEqualTo(-Errno.EINVAL);
        }
        bonds.settle();
        assertThat(caller.free).hasSize(64).containsOnly(true);
        assertThat(bonds.a.count(Counter.POSTS_REFUSED)).isEqualTo(before + 100);
    }
}
