package io.vhca.physical.soft.engine;

import io.vhca.api.AhAttributes;
import io.vhca.api.AsyncEvent;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.Destination;
import io.vhca.physical.soft.engine.core.NicEvents;
import io.vhca.physical.soft.engine.core.Ownership;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.engine.queue.SoftCq;
import java.lang.foreign.Arena;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * How threads hand a soft device's engine to each other: one owns it at a time, sees what the owner before it did, and
 * a request that is posted while another thread owns the engine is sent by one of the two.
 */
public final class EngineHandOver {
    private EngineHandOver() {}

    /** Two threads that wait for the engine count with a plain field. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "each saw what the other did")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both owned the engine, or one did not see what the other wrote")
    @State
    public static class TwoThatWait {
        private final Ownership ownership = new Ownership();
        private int count;

        private void countOne() {
            ownership.take();
            ownership.take();
            count++;
            ownership.release();
            ownership.release();
        }

        @Actor
        public void control() {
            countOne();
        }

        @Actor
        public void otherControl() {
            countOne();
        }

        @Arbiter
        public void arbiter(final I_Result result) {
            result.r1 = count;
        }
    }

    /** One waits for the engine, the other goes away when it is owned. */
    @JCStressTest
    @Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "one after the other")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "owned: it went away")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both owned the engine, or one did not see what the other wrote")
    @State
    public static class OneThatTries {
        private final Ownership ownership = new Ownership();
        private int count;

        @Actor
        public void control() {
            ownership.take();
            count++;
            ownership.release();
        }

        @Actor
        public void driver(final II_Result result) {
            if (ownership.tryTake()) {
                result.r1 = 1;
                count++;
                ownership.release();
            }
        }

        @Arbiter
        public void arbiter(final II_Result result) {
            result.r2 = count;
        }
    }

    /** A thread posts while the device's agent runs a duty cycle. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "sent by one of the two")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the request waits for a duty cycle that nobody runs")
    @State
    public static class PosterAndAgent {
        private final Device device = new Device();

        @Actor
        public void poster() {
            device.post();
        }

        @Actor
        public void agent() {
            device.nic.doWork(1);
        }

        @Arbiter
        public void arbiter(final I_Result result) {
            result.r1 = device.sent;
            device.close();
        }
    }

    /** Two threads post to one queue pair. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "both requests are sent")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a request is lost, or waits for a duty cycle that nobody runs")
    @State
    public static class TwoPosters {
        private final Device device = new Device();

        @Actor
        public void poster() {
            device.post();
        }

        @Actor
        public void otherPoster() {
            device.post();
        }

        @Arbiter
        public void arbiter(final I_Result result) {
            result.r1 = device.sent;
            device.close();
        }
    }

    /** A device with one connected queue pair whose packets go nowhere and are counted, driven by who posts. */
    static final class Device implements Carrier, NicEvents {
        private static final Gid OWN = new Gid(0, 0xffff_7f00_0001L);
        private static final Gid PEER = new Gid(0, 0xffff_7f00_0002L);
        /** One empty message: no thread writes to it. */
        private static final SendWorkRequest MESSAGE = SendWorkRequest.allocate(Arena.global(), 1)
                .opcode(WrOpcode.SEND)
                .sendFlags(SendFlags.INLINE);

        final SoftNic nic = new SoftNic("soft0", 1, this, new SoftNicConfig().inlineClock(() -> 1L), this);
        private final SoftPd pd = nic.allocPd(null);
        private final SoftCq cq = nic.createCq(null, 8, null, null);
        private final SoftQp qp = pd.createQp(QpInitAttributes.rc(cq, cq, new QpCapabilities(4, 1, 1, 1, 8)));
        /** Written by the engine's owner. */
        private int sent;

        Device() {
            qp.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).accessFlags(0));
            qp.modify(new QpAttributes()
                    .qpState(QpState.RTR)
                    .ah(AhAttributes.to(PEER))
                    .pathMtu(Mtu.MTU_256)
                    .destQpNum(2)
                    .rqPsn(0)
                    .maxDestRdAtomic(0)
                    .minRnrTimer(1));
            qp.modify(new QpAttributes()
                    .qpState(QpState.RTS)
                    .timeout(0)
                    .retryCnt(7)
                    .rnrRetry(7)
                    .sqPsn(0)
                    .maxRdAtomic(0));
        }

        void post() {
            if (qp.postSend(MESSAGE) != 1) {
                throw new AssertionError("the request was refused");
            }
        }

        @Override
        public Gid address() {
            return OWN;
        }

        @Override
        public int sourcePort() {
            return 1;
        }

        @Override
        public int maxPacketBytes() {
            return 256 + 64;
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
            sent++;
            return true;
        }

        @Override
        public void flush() {
            // Nothing is gathered.
        }

        @Override
        public int receive(final PacketHandler handler, final int limit) {
            return 0;
        }

        @Override
        public void close() {
            qp.close();
            cq.close();
            pd.close();
            nic.close();
        }

        @Override
        public void asyncEvent(final AsyncEvent event) {
            throw new AssertionError(event.type() + " on a device that nothing happens to");
        }

        @Override
        public void firstRequest(final int qpNum) {
            // Nobody connects by a connection manager.
        }

        @Override
        public void cqEvent(final CompletionQueue completed) {
            throw new AssertionError("nobody armed " + completed);
        }

        @Override
        public void mad(final long sourceHigh, final long sourceLow, final int sourceQp, final long madAddress) {
            throw new AssertionError("no packet arrives");
        }
    }
}
