package io.vhca.bond.queue;

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
 * A gate that a thread has been given: it enters with a plain store, the other takes it away by membarrier. They are
 * never inside together, and each sees what the other wrote there.
 */
public final class GateBiasStress {
    private GateBiasStress() {}

    /** Enters and takes the gate. */
    private static void take(final SpinGate gate) {
        gate.enter();
        gate.biasTo(Thread.currentThread());
    }

    /**
     * The store and the load that no fence is between, against what the one that revokes does: at least one of them
     * sees the other.
     */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "its thread is in, and who revokes waits for it")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "its thread is refused, and is about to say so")
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "its thread is refused")
    @Outcome(expect = Expect.FORBIDDEN, desc = "its thread is in, and who revokes does not see it")
    @State
    public static class EnterAndRevoke {
        private final GateBias bias = new GateBias(null);

        public EnterAndRevoke() {
            bias.grant();
        }

        @Actor
        public void owner(final II_Result result) {
            result.r1 = bias.enter() ? 1 : 0;
        }

        @Actor
        public void revoker(final II_Result result) {
            bias.revoke();
            result.r2 = bias.isInside() ? 1 : 0;
        }
    }

    /** A thread that has the gate counts with a plain field, and so does one that takes the gate away. */
    @JCStressTest
    @Outcome(id = "5", expect = Expect.ACCEPTABLE, desc = "each saw what the other did")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both were inside, or one did not see what the other wrote")
    @State
    public static class OneThatHasItAndOneThatComes {
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
        public void owner() {
            take(gate);
            count++;
            gate.leave();
            countTwice();
        }

        @Actor
        public void other() {
            countTwice();
        }

        @Arbiter
        public void arbiter(final I_Result result) {
            result.r1 = count;
        }
    }

    /** Both take the gate whenever they are in: each takes it away from the other, who may be about to enter. */
    @JCStressTest
    @Outcome(id = "6", expect = Expect.ACCEPTABLE, desc = "each saw what the other did")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both were inside, or one did not see what the other wrote")
    @State
    public static class TwoThatTakeIt {
        private final SpinGate gate = new SpinGate();
        private int count;

        private void work() {
            take(gate);
            count++;
            gate.leave();
            gate.enter();
            count++;
            gate.leave();
            take(gate);
            count++;
            gate.leave();
        }

        @Actor
        public void one() {
            work();
        }

        @Actor
        public void other() {
            work();
        }

        @Arbiter
        public void arbiter(final I_Result result) {
            result.r1 = count;
        }
    }

    /** One has the gate, the other only tries: it goes away when the first is inside, and has changed nothing then. */
    @JCStressTest
    @Outcome(id = "1, 3", expect = Expect.ACCEPTABLE, desc = "one after the other")
    @Outcome(id = "0, 2", expect = Expect.ACCEPTABLE, desc = "somebody was inside: it went away")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both were inside, or one did not see what the other wrote")
    @State
    public static class OneThatHasItAndOneThatTries {
        private final SpinGate gate = new SpinGate();
        private int count;

        @Actor
        public void owner() {
            take(gate);
            count++;
            gate.leave();
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

    /** Who passes has waited for the thread that has the gate: recovery learns by it that nobody works on what was. */
    @JCStressTest
    @Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "who entered later saw the change")
    @Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "who was inside had left, and its work is seen")
    @Outcome(expect = Expect.FORBIDDEN, desc = "work on what was before goes on after the pass")
    @State
    public static class OneThatPasses {
        private final SpinGate gate = new SpinGate();
        private int changed;
        private int workedOnOld;

        @Actor
        public void works() {
            take(gate);
            gate.leave();
            gate.enter();
            if (changed == 0) {
                workedOnOld = 1;
            }
            gate.leave();
        }

        @Actor
        public void changes(final III_Result result) {
            gate.enter();
            changed = 1;
            gate.leave();
            gate.pass();
            result.r1 = workedOnOld;
        }

        @Arbiter
        public void arbiter(final III_Result result) {
            result.r2 = workedOnOld;
            result.r3 = changed;
        }
    }

    /** Calls of the application's, by one thread, and the bond's thread, which takes the gate and gives it back. */
    @JCStressTest
    @Outcome(id = "5", expect = Expect.ACCEPTABLE, desc = "each saw what the other did")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both were inside, or one did not see what the other wrote")
    @State
    public static class OneThatItIsDeclaredForAndOneThatComes {
        /** Given back as soon as can be. */
        private final SpinGate gate = new SpinGate(Membarrier.IS_AVAILABLE, 1);

        private int count;

        public OneThatItIsDeclaredForAndOneThatComes() {
            gate.isForOneThread();
        }

        @Actor
        public void calls() {
            for (int i = 0; i < 3; i++) {
                gate.enterOwn();
                count++;
                gate.leave();
            }
        }

        @Actor
        public void other() {
            for (int i = 0; i < 2; i++) {
                gate.enter();
                count++;
                gate.leave();
            }
        }

        @Arbiter
        public void arbiter(final I_Result result) {
            // The gate is still to be passed: nobody was left inside.
            gate.pass();
            result.r1 = count;
        }
    }
}
