package io.vhca.bond.queue;

import io.vhca.api.AtomicCapability;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WrOpcode;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.bond.wire.PhysicalWrId;
import java.lang.foreign.Arena;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * The gate of a virtual queue: one thread is inside at a time and sees what those before it wrote, and once recovery
 * has closed the gate of a send queue, hardware is given nothing more.
 */
public final class GateStress {
    private GateStress() {}

    /** Two threads count with a plain field. */
    @JCStressTest
    @Outcome(id = "4", expect = Expect.ACCEPTABLE, desc = "each saw what the other did")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both were inside, or one did not see what the other wrote")
    @State
    public static class TwoThatEnter {
        private final SpinGate gate = new SpinGate();
        private int count;

        private void countTwice() {
            for (int i = 0; i < 2; i++) {
                gate.enter();
                count++;
                gate.leave();
            }
        }

        @Actor
        public void poster() {
            countTwice();
        }

        @Actor
        public void recovery() {
            countTwice();
        }

        @Arbiter
        public void arbiter(final I_Result result) {
            result.r1 = count;
        }
    }

    /** One enters, the other goes away when somebody is inside. */
    @JCStressTest
    @Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "one after the other")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "somebody was inside: it went away")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both were inside, or one did not see what the other wrote")
    @State
    public static class OneThatTries {
        private final SpinGate gate = new SpinGate();
        private int count;

        @Actor
        public void enters() {
            gate.enter();
            count++;
            gate.leave();
        }

        @Actor
        public void tries(final II_Result result) {
            if (gate.tryEnter()) {
                result.r1 = 1;
                count++;
                gate.leave();
            }
        }

        @Arbiter
        public void arbiter(final II_Result result) {
            result.r2 = count;
        }
    }

    /** Who passes has waited for whoever was inside: recovery learns by it that nobody works on what was before. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "who entered later saw the change")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "who was inside had left, and its work is seen")
    @Outcome(expect = Expect.FORBIDDEN, desc = "work on what was before goes on after the pass")
    @State
    public static class OneThatPasses {
        private final SpinGate gate = new SpinGate();
        private volatile int changed;
        private int workedOnOld;

        @Actor
        public void works() {
            gate.enter();
            if (changed == 0) {
                workedOnOld = 1;
            }
            gate.leave();
        }

        @Actor
        public void changes(final II_Result result) {
            changed = 1;
            gate.pass();
            result.r1 = workedOnOld;
        }

        @Arbiter
        public void arbiter(final II_Result result) {
            result.r2 = workedOnOld;
        }
    }

    /** A thread posts while recovery closes the gate of the send queue. */
    @JCStressTest
    @Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "posted before: hardware had it when the gate closed")
    @Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "posted after: it waits")
    @Outcome(expect = Expect.FORBIDDEN, desc = "hardware was given a request after the gate closed, or it was lost")
    @State
    public static class PostAndCloseGate {
        private static final Arena ARENA = Arena.global();
        private static final SendWorkRequest SEND = SendWorkRequest.allocate(ARENA, 1)
                .wrId(7)
                .opcode(WrOpcode.SEND)
                .sendFlags(SendFlags.SIGNALED);

        private final NativeBlock block = new NativeBlock("bond0", 1, 1 << 12);
        private final FakeQueuePair hardware = new FakeQueuePair();
        private final VirtualSendQueue queue = new VirtualSendQueue(
                new FakeQueueOwner(), new LocalKeys(1), new ConnectedSlots(block, 2, 1, 0), 2, 1, false,
                AtomicCapability.NONE, false);

        public PostAndCloseGate() {
            queue.accepting(true, false);
            queue.attach(hardware, 0, PhysicalWrId.prefix(PhysicalWrId.KIND_SEND, 1, 3), new RemoteKeys(0));
            queue.openGate();
        }

        @Actor
        public void poster() {
            queue.post(SEND.address());
        }

        @Actor
        public void recovery(final III_Result result) {
            queue.closeGate();
            result.r1 = hardware.posts.size();
        }

        @Arbiter
        public void arbiter(final III_Result result) {
            result.r2 = hardware.posts.size();
            result.r3 = (int) queue.producerInside();
            block.close();
        }
    }
}
