package io.vhca.harness.drill.attack.packet;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Gid;
import io.vhca.physical.soft.cm.message.CmMessage;
import io.vhca.physical.soft.cm.message.ConnInput;
import io.vhca.physical.soft.wire.Icrc;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.PacketFlyweight;
import io.vhca.physical.soft.wire.Wire;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.DatagramRecord;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.OutOfBandRecord;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.ReplyRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.SessionRecord;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** What is forged is what a device takes for real: shape, ICRC, message and record. */
class ForgeryTest {
    private static final Gid CLIENT = Sighting.gid("10.0.0.1");
    private static final Gid SERVER = Sighting.gid("10.0.0.2");
    private static final int SOURCE_PORT = 40_000;
    private static final int APP_PORT = 7471;
    private static final int BOND_PORT = 27_648;

    private final SplittableRandom random = new SplittableRandom(5);
    private final PacketForge forge = new PacketForge();
    private final Knowledge known = new Knowledge(new SessionId(1, 2), 3, 4, 5, 6, 7, 8, List.of());
    private final Forgery forgery = new Forgery(random, known, APP_PORT, BOND_PORT, true);

    private static CmMessage message(final byte[] mad) {
        return Objects.requireNonNull(CmMessage.read(mad));
    }

    /** Shape and ICRC as a device judges them. */
    private static boolean isTaken(final Shot shot, final byte[] wire) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(wire.length, Long.BYTES);
            MemorySegment.copy(wire, 0, memory, ValueLayout.JAVA_BYTE, 0, wire.length);
            final int covered = wire.length - Wire.ICRC_BYTES;
            return new PacketFlyweight()
                            .wrap(
                                    memory.address(),
                                    wire.length,
                                    shot.from().subnetPrefix(),
                                    shot.from().interfaceId(),
                                    SOURCE_PORT)
                    && Icrc.get(memory.address() + covered)
                            == new Icrc().compute(
                                    shot.from().subnetPrefix(), shot.from().interfaceId(),
                                    shot.to().subnetPrefix(), shot.to().interfaceId(),
                                    SOURCE_PORT, memory.address(), covered);
        }
    }

    @Test
    void aDeviceTakesThePackets() {
        final Shot management =
                new Shot(CLIENT, SERVER, forge.management(forgery.rtu(), 9), true);
        assertThat(isTaken(management, forge.onTheWire(management, SOURCE_PORT))).isTrue();
        assertThat(isTaken(management, forge.onTheWire(management, SOURCE_PORT + 1)))
                .as("the ICRC is that of another port")
                .isFalse();
        for (int opcode = Opcodes.RC_SEND_FIRST; opcode <= Opcodes.RC_FETCH_ADD; opcode++) {
            final byte[] packet =
                    forge.reliable(opcode, 0x123, 0x456, new PacketForge.Extended(1, 2, 8, 3, 4), new byte[8]);
            final Shot shot = new Shot(CLIENT, SERVER, packet, true);
            assertThat(isTaken(shot, forge.onTheWire(shot, SOURCE_PORT))).as("opcode %d", opcode).isTrue();
            final PacketForge.Header header = Objects.requireNonNull(PacketForge.header(packet));
            assertThat(header.opcode()).isEqualTo(opcode);
            assertThat(header.destQp()).isEqualTo(0x123);
            assertThat(header.psn()).isEqualTo(0x456);
        }
        assertThat(forge.onTheWire(new Shot(CLIENT, SERVER, new byte[3], false), SOURCE_PORT)).hasSize(3);
    }

    @Test
    void requestsShowTheSession() {
        final CmMessage first = message(forgery.first(CLIENT, SERVER));
        assertThat(first.type()).isEqualTo(ConnInput.REQ);
        assertThat(first.serviceId() & 0xffff).isEqualTo(APP_PORT);
        final ConnectHeader header = ConnectHeader.decode(new UnsafeBuffer(first.privateData()), 0);
        assertThat(header.session()).isEqualTo(known.session());
        assertThat(header.vQpNum()).isEqualTo(known.clientQpNum());

        final CmMessage recover = message(forgery.session(RecordType.RECOVER, CLIENT, SERVER));
        assertThat(recover.serviceId() & 0xffff).isEqualTo(BOND_PORT);
        assertThat(recover.hasAddressing()).isTrue();
        final SessionRecord record = SessionRecord.decode(new UnsafeBuffer(recover.privateData()), 0);
        assertThat(record.request().session()).isEqualTo(known.session());
        assertThat(record.request().senderQpNum()).isEqualTo(known.clientQpNum());
        assertThat(record.request().targetQpNum()).isEqualTo(known.serverQpNum());

        final Forgery toClient = new Forgery(random, known, APP_PORT, BOND_PORT, false);
        final SessionRecord back = SessionRecord.decode(
                new UnsafeBuffer(message(toClient.session(RecordType.CLOSE, SERVER, CLIENT)).privateData()), 0);
        assertThat(back.request().senderQpNum()).isEqualTo(known.serverQpNum());
        assertThat(back.request().targetQpNum()).isEqualTo(known.clientQpNum());
    }

    @Test
    void otherRecordsAreWellFormed() {
        final byte[] oob = message(forgery.outOfBand(CLIENT, SERVER)).privateData();
        assertThat(OutOfBandRecord.validate(new UnsafeBuffer(oob), 0, oob.length)).isEqualTo(DecodeResult.OK);
        final byte[] datagram = message(forgery.datagram(CLIENT, SERVER)).privateData();
        assertThat(DatagramRecord.validate(new UnsafeBuffer(datagram), 0, datagram.length))
                .isEqualTo(DecodeResult.OK);
        for (final RecordType type : List.of(RecordType.CONTROL, RecordType.PROBE)) {
            final byte[] header = message(forgery.header(type, CLIENT, SERVER)).privateData();
            assertThat(ConnectHeader.decode(new UnsafeBuffer(header), 0).type()).isEqualTo(type);
        }
        final byte[] reply = message(forgery.rep(CLIENT)).privateData();
        assertThat(ReplyRecord.validate(new UnsafeBuffer(reply), 0, reply.length)).isEqualTo(DecodeResult.OK);
        assertThat(message(forgery.leftover(CLIENT, SERVER)).qpNum()).isEqualTo(known.clientPhysical());
    }

    @Test
    void answersNameTheConnectionAsThePeerWould() {
        for (final byte[] mad : List.of(
                forgery.rep(CLIENT), forgery.rtu(), forgery.rej(), forgery.dreq(), forgery.drep(), forgery.mra())) {
            final CmMessage message = message(mad);
            assertThat(message.localCommId()).as("%s", message.type()).isEqualTo(known.clientComm());
            assertThat(message.remoteCommId()).as("%s", message.type()).isEqualTo(known.serverComm());
        }
        assertThat(message(forgery.rejTimeout()).localCommId()).isEqualTo(known.clientComm());
        assertThat(message(forgery.rejTimeout()).remoteCommId()).isZero();
        assertThat(message(forgery.sidrReq(CLIENT, SERVER)).type()).isEqualTo(ConnInput.SIDR_REQ);
        assertThat(message(forgery.sidrRep()).type()).isEqualTo(ConnInput.SIDR_REP);
    }

    private Sighting sighting(final Gid from, final Gid to, final byte[] mad) {
        return new Sighting(from, to, forge.management(mad, 1));
    }

    @Test
    void whoHasSeenAConnectionKnowsIt() {
        final byte[] reply = new Forgery(random, known, APP_PORT, BOND_PORT, false).rep(SERVER);
        final Sighting data = new Sighting(
                CLIENT, SERVER,
                forge.reliable(
                        Opcodes.RC_SEND_ONLY, 0x99, 7, new PacketForge.Extended(0, 0, 0, 0, 0), new byte[4]));
        final byte[] request = forgery.first(CLIENT, SERVER);
        final int comm = message(request).localCommId();
        final Knowledge itsReply = new Knowledge(known.session(), 3, 4, 5, comm, 7, 8, List.of());
        final Forgery later =
                new Forgery(random, Knowledge.guessed(random), APP_PORT, BOND_PORT, true);
        final List<Sighting> seen = List.of(
                sighting(CLIENT, SERVER, forgery.header(RecordType.CONTROL, CLIENT, SERVER)),
                sighting(CLIENT, SERVER, request),
                sighting(CLIENT, SERVER, later.first(CLIENT, SERVER)),
                sighting(SERVER, CLIENT, reply),
                sighting(SERVER, CLIENT, new Forgery(random, itsReply, APP_PORT, BOND_PORT, false).rep(SERVER)),
                data);
        final Knowledge read =
                Knowledge.of(seen.stream().map(one -> Sighting.of(one.line())).toList(), random);
        assertThat(read.session()).isEqualTo(known.session());
        assertThat(read.clientQpNum()).isEqualTo(3);
        assertThat(read.serverQpNum()).isEqualTo(4);
        assertThat(read.instance()).isEqualTo(5);
        assertThat(read.clientComm()).isEqualTo(comm);
        assertThat(read.serverComm()).isEqualTo(7);
        assertThat(read.clientPhysical()).isEqualTo(message(request).qpNum());
        assertThat(read.management()).hasSize(5);
        assertThat(read.data()).singleElement().satisfies(one -> assertThat(one.to()).isEqualTo(SERVER));
    }
}
