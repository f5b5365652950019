package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AccessFlags;
import io.vhca.api.AhAttributes;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.BondCounters;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.harness.conformance.Patience;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.recovery.Journal;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.MemberId;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.SessionRecord;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Wrong calls and foreign bytes: one clear answer each, counted, and the bond goes on as before. */
class BadInputTest {
    private static final int BASE_PORT = 27_648;

    private final SoftDevice first = SoftBonds.soft("bad-a", 61);
    private final SoftDevice second = SoftBonds.soft("bad-b", 62);
    private final SoftDevice stranger = SoftBonds.soft("bad-c", 63);
    private final BondContext bond = open();
    private final Arena arena = Arena.ofConfined();

    private BondContext open() {
        final BondConfig config =
                SoftBonds.calm(BondConfig.builder("bond0").members(List.of("bad-a", "bad-b"))).build();
        final BondContext context = new BondContext(
                new BondDevice(config),
                config,
                List.of(first.open(), second.open()),
                Journal.NONE,
                new SplittableRandom(1));
        context.startAgent();
        return context;
    }

    @AfterEach
    void close() {
        bond.close();
        arena.close();
    }

    private static void expect(final Runnable call, final int errno, final String... words) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno))
                .hasMessageContainingAll(words);
    }

    @Test
    void whatABondDoesNotCarryIsRefusedByName() {
        try (ProtectionDomain pd = bond.allocPd();
                CompletionQueue cq = bond.createCq(8, null, null)) {
            final QpCapabilities small = new QpCapabilities(4, 4, 1, 1, 0);
            expect(() -> pd.createSrq(new SrqAttributes(0, 1, 0)), Errno.EINVAL, "bond0", "maxWr", "allowed is 1 to");
            expect(
                    () -> pd.createAh(AhAttributes.to(Gid.of(InetAddress.ofLiteral("224.0.0.1")))),
                    Errno.EOPNOTSUPP,
                    "bond0",
                    "multicast");
            expect(() -> pd.createAh(new AhAttributes(bond.queryGid(1, 0), 1, 0, 0, 1)), Errno.EINVAL, "GID index 1");
            expect(
                    () -> pd.createQp(new QpInitAttributes(cq, cq, null, small, QpType.UC, false)),
                    Errno.EOPNOTSUPP,
                    "UC",
                    "use RC or UD");
            try (SharedReceiveQueue srq = pd.createSrq(new SrqAttributes(4, 1, 0))) {
                expect(
                        () -> pd.createQp(new QpInitAttributes(cq, cq, srq, small, QpType.UD, false)),
                        Errno.EOPNOTSUPP,
                        "UD",
                        "SRQ");
            }
            try (QueuePair qp = pd.createQp(new QpInitAttributes(cq, cq, null, small, QpType.UD, false))) {
                qp.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(1));
                qp.modify(new QpAttributes().qpState(QpState.RTR));
                qp.modify(new QpAttributes().qpState(QpState.RTS).sqPsn(0));
                expect(() -> qp.modify(new QpAttributes().qpState(QpState.SQD)), Errno.EOPNOTSUPP, "SQD");
            }
            try (CmEventChannel channel = bond.createEventChannel();
                    CmId id = channel.createId(CmPortSpace.UDP, null)) {
                id.resolveAddr(null, new InetSocketAddress(SoftBonds.own(63), 9), 1000);
                id.resolveRoute(1000);
                expect(
                        () -> id.createQp(pd, QpInitAttributes.rc(cq, cq, small)),
                        Errno.EINVAL,
                        "RDMA_PS_UDP",
                        "type UD");
                expect(() -> id.connect(ConnectParameters.of(new byte[33])), Errno.EINVAL, "33 bytes", "32 fit");
                expect(id::disconnect, Errno.EINVAL, "no connection");
            }
            expect(
                    () -> pd.createQp(QpInitAttributes.rc(cq, cq, new QpCapabilities(1 << 30, 1, 1, 1, 0))),
                    Errno.EINVAL,
                    "maxSendWr",
                    "allowed is 1 to");
        }
    }

    private static void expectWithoutEntry(final QueuePair qp, final QpAttributes toInit) {
        expect(() -> qp.modify(toInit.qpState(QpState.INIT).pkeyIndex(1).portNum(1)), Errno.EINVAL,
                "pkey_index 1", "ends with the entry 0");
        expect(() -> qp.modify(toInit.pkeyIndex(0).portNum(2)), Errno.EINVAL, "port_num 2", "the port 1 alone");
        assertThat(qp.query().qpState()).isEqualTo(QpState.RESET);
    }

    /** No member has them for a bond. With such a key a queue pair for datagrams had none while it was open. */
    @Test
    void aKeyAndAPortThatABondHasNotAreRefusedByName() {
        try (ProtectionDomain pd = bond.allocPd();
                CompletionQueue cq = bond.createCq(8, null, null)) {
            final QpCapabilities small = new QpCapabilities(4, 4, 1, 1, 0);
            try (QueuePair qp = pd.createQp(new QpInitAttributes(cq, cq, null, small, QpType.UD, false))) {
                expectWithoutEntry(qp, new QpAttributes().qkey(1));
            }
            try (QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, cq, small))) {
                expectWithoutEntry(qp, new QpAttributes().accessFlags(0));
            }
        }
    }

    /** Who is wrong about the state does not know what he sets: a queue that was being drained had gone on. */
    @Test
    void aChangeForAnotherStateThanThePresentIsRefused() {
        try (RdmaListener listener = RdmaListener.listen(bond, 0);
                RdmaConnection client = RdmaConnection.connect(bond, listener.address());
                RdmaConnection _ = listener.accept()) {
            client.awaitEstablished();
            final QueuePair qp = client.qp();
            qp.modify(new QpAttributes().qpState(QpState.SQD));
            final QpAttributes goOn = new QpAttributes().qpState(QpState.RTS);
            expect(() -> qp.modify(goOn.curQpState(QpState.RTS)), Errno.EINVAL, "it is in SQD, not in RTS");
            assertThat(qp.query().qpState()).isEqualTo(QpState.SQD);
            qp.modify(goOn.curQpState(QpState.SQD));
            assertThat(qp.query().qpState()).isEqualTo(QpState.RTS);
        }
    }

    /** Devices differ in what they make of it: some refuse the queue pair, some each message, some nothing. */
    @Test
    void sharedReceivesOfAnotherDomainAreRefusedByName() {
        try (ProtectionDomain pd = bond.allocPd();
                ProtectionDomain other = bond.allocPd();
                CompletionQueue cq = bond.createCq(8, null, null);
                SharedReceiveQueue srq = other.createSrq(new SrqAttributes(4, 1, 0))) {
            final QpInitAttributes init =
                    new QpInitAttributes(cq, cq, srq, new QpCapabilities(4, 0, 1, 0, 0), QpType.RC, false);
            expect(() -> pd.createQp(init), Errno.EINVAL, "bond0 pd", "bond0 srq", "another protection domain");
            other.createQp(init).close();
        }
    }

    @Test
    void postsInAWrongStateAndOfOpcodesNotCarriedAreRefused() {
        try (ProtectionDomain pd = bond.allocPd();
                CompletionQueue cq = bond.createCq(8, null, null);
                QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, cq, new QpCapabilities(4, 4, 1, 1, 16)))) {
            final SendWorkRequest wr = SendWorkRequest.allocate(arena, 2);
            wr.opcode(WrOpcode.SEND).numSge(0);
            assertThat(qp.postSend(wr)).as("in RESET").isEqualTo(-Errno.EINVAL);
            qp.modify(new QpAttributes().qpState(QpState.ERR));
            for (final WrOpcode opcode : WrOpcode.values()) {
                wr.opcode(opcode).numSge(0).sendFlags(0);
                final int expected = switch (opcode) {
                    case SEND, SEND_WITH_IMM, RDMA_WRITE, RDMA_WRITE_WITH_IMM, RDMA_READ -> 1;
                    // Carried, but not without 8 bytes for the result.
                    case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> -Errno.EINVAL;
                    default -> -Errno.EOPNOTSUPP;
                };
                assertThat(qp.postSend(wr)).as(opcode.toString()).isIn(expected, -Errno.ENOMEM);
            }
            wr.opcode(WrOpcode.SEND).numSge(2);
            assertThat(qp.postSend(wr)).as("more elements than asked for").isEqualTo(-Errno.EINVAL);
        }
    }

    @Test
    void inlineDataLongerThanAskedForIsRefused() {
        try (ProtectionDomain pd = bond.allocPd();
                CompletionQueue cq = bond.createCq(8, null, null);
                QueuePair qp = pd.createQp(QpInitAttributes.rc(cq, cq, new QpCapabilities(4, 4, 1, 1, 16)))) {
            qp.modify(new QpAttributes().qpState(QpState.ERR));
            final long data = arena.allocate(64).address();
            final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
            wr.opcode(WrOpcode.SEND).sendFlags(SendFlags.INLINE).sge(data, 17, 0);
            assertThat(qp.postSend(wr)).isEqualTo(-Errno.EINVAL);
            assertThat(qp.postSend(wr.sge(data, 16, 0))).isEqualTo(1);
        }
    }

    @Test
    void foreignRequestsAreRejectedCountedAndChangeNothing() {
        try (Context other = stranger.open();
                RdmaListener listener = RdmaListener.listen(bond, 0);
                RdmaConnection client = RdmaConnection.connect(bond, listener.address());
                RdmaConnection server = listener.accept()) {
            assertThat(ask(other, BASE_PORT, "not a bond's".getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                    .isEqualTo(RejectCode.GARBAGE);
            assertThat(ask(other, listener.address().getPort(), new byte[56])).isEqualTo(RejectCode.GARBAGE);
            assertThat(bond.counters().get(BondCounters.Counter.REQ_GARBAGE)).isEqualTo(2);

            final byte[] before = record(0x1234, 1);
            before[2] = 0;
            assertThat(ask(other, BASE_PORT, before)).isEqualTo(RejectCode.BAD_VERSION);
            assertThat(bond.counters().get(BondCounters.Counter.REQ_BAD_VERSION)).isEqualTo(1);

            final int qpNum = client.qp().qpNum();
            assertThat(ask(other, BASE_PORT, record(0x1234, qpNum)))
                    .as("a session that the vQP does not have")
                    .isEqualTo(RejectCode.BAD_SESSION);
            assertThat(bond.counters().get(BondCounters.Counter.REQ_FORGED)).isEqualTo(1);
            assertThat(ask(other, BASE_PORT, record(0x1234, 0x3fff))).isEqualTo(RejectCode.UNKNOWN_SESSION);
            assertThat(bond.counters().get(BondCounters.Counter.REQ_UNKNOWN_SESSION)).isEqualTo(1);

            client.send("still here");
            assertThat(server.receiveText()).isEqualTo("still here");
            assertThat(bond.failovers()).as("nobody was disturbed").isEmpty();
        }
    }

    private static byte[] record(final long session, final int target) {
        final RecoveryRequest request = new RecoveryRequest(RecordType.RECOVER, FailureReason.NONE,
                new SessionId(session, 1), 77, target, 5, 0, new ReceiverCounts(3, 0));
        return new SessionRecord(new MemberId(0, 0), request).encode();
    }

    /** Sends a REQ as anybody could, and returns what the bond answers. */
    private RejectCode ask(final Context from, final int port, final byte[] privateData) {
        try (CmEventChannel channel = from.createEventChannel();
                CompletionQueue cq = from.createCq(4, null, null);
                ProtectionDomain pd = from.allocPd();
                CmId id = channel.createId(CmPortSpace.TCP, null)) {
            id.resolveAddr(null, new InetSocketAddress(SoftBonds.own(61), port), 2000);
            next(channel, CmEventType.ADDR_RESOLVED);
            id.resolveRoute(2000);
            next(channel, CmEventType.ROUTE_RESOLVED);
            id.createQp(pd, QpInitAttributes.rc(cq, cq, new QpCapabilities(1, 1, 1, 1, 0)));
            id.connect(ConnectParameters.of(privateData));
            final byte[] answer = next(channel, CmEventType.REJECTED).privateData();
            return RejectRecord.decode(new UnsafeBuffer(answer), 0).code();
        }
    }

    private static CmEvent next(final CmEventChannel channel, final CmEventType type) {
        final CmEvent event = Objects.requireNonNull(channel.getEvent(Patience.NS), "no " + type + " in time");
        event.ack();
        assertThat(event.type()).isEqualTo(type);
        return event;
    }

    @Test
    void twoContextsOfOneBondInAProcessAreRefused() {
        final BondDevice device = new BondDevice(
                BondConfig.builder("bond9").members(List.of("soft2", "soft3")).build());
        try (Context open = device.open()) {
            assertThat(open.device()).isSameAs(device);
            expect(device::open, Errno.EBUSY, "bond9", "open in this process already");
        }
        device.open().close();
    }

    @Test
    void aRegionOfHeapMemoryIsRefusedAndLeavesNothingBehind() {
        try (ProtectionDomain pd = bond.allocPd()) {
            assertThatThrownBy(() -> pd.regMr(
                            java.lang.foreign.MemorySegment.ofArray(new byte[8]), AccessFlags.LOCAL_WRITE))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        }
    }
}
