package io.vhca.harness.drill.attack.packet;

import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.ServiceClass;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.soft.cm.message.CmMessages;
import io.vhca.physical.soft.cm.message.CmRoute;
import io.vhca.physical.soft.cm.message.CommIds;
import io.vhca.physical.soft.cm.message.QpEnd;
import io.vhca.physical.soft.cm.message.RejDescriptor;
import io.vhca.physical.soft.cm.message.RejectReason;
import io.vhca.physical.soft.wire.Wire;
import io.vhca.recovery.proof.AuthKey;
import io.vhca.recovery.proof.Endpoints;
import io.vhca.recovery.proof.Seal;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.DatagramRecord;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.MemberAddress;
import io.vhca.recovery.wire.MemberId;
import io.vhca.recovery.wire.OutOfBandRecord;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.ReplyRecord;
import io.vhca.recovery.wire.SealedRecord;
import io.vhca.recovery.wire.SessionRecord;
import java.util.List;
import java.util.random.RandomGenerator;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes the connection manager's messages, and the bonds' records in them, as somebody would who is neither end. Each
 * call draws the ids that nobody need know anew. One thread.
 *
 * @param random     draws ids and numbers
 * @param known      of the session that is attacked
 * @param appPort    where the application listens
 * @param bondPort   where the attacked bond listens for recoveries
 * @param isToServer false where the client is attacked: ends are swapped
 */
public record Forgery(
        RandomGenerator random, Knowledge known, int appPort, int bondPort, boolean isToServer) {
    private static final int ACK_TIMEOUT = 14;
    private static final int PHYSICAL_QPS = Wire.MASK_24;
    private static final MemberId MEMBER = new MemberId(0, 0);
    private static final byte[] NOTHING = new byte[0];
    /** Beyond any epoch that a session has reached: it must not count for that. */
    private static final int EPOCHS_AHEAD = 1000;

    private int ownQpNum() {
        return isToServer ? known.clientQpNum() : known.serverQpNum();
    }

    private int targetQpNum() {
        return isToServer ? known.serverQpNum() : known.clientQpNum();
    }

    /** The ids that a message of the peer's device would show. */
    private CommIds ids() {
        return isToServer
                ? new CommIds(known.clientComm(), known.serverComm(), random.nextLong())
                : new CommIds(known.serverComm(), known.clientComm(), random.nextLong());
    }

    private byte[] req(final Gid from, final Gid to, final int port, final int physicalQp, final byte[] data) {
        final int commId = random.nextInt();
        return CmMessages.req(
                new CommIds(commId, 0, random.nextLong()),
                new CmRoute(from, random.nextLong(), 1024 + random.nextInt(60_000), to, port),
                new QpEnd(physicalQp, random.nextInt() & Wire.MASK_24),
                Mtu.MTU_1024,
                ACK_TIMEOUT,
                ServiceClass.NONE,
                ConnectParameters.of(data));
    }

    private byte[] record(final Gid from, final Gid to, final byte[] data) {
        return req(from, to, bondPort, random.nextInt() & PHYSICAL_QPS, asIfProven(from, to, data));
    }

    /** Where bonds have a key, every other record is signed by one that is made up. */
    private byte[] asIfProven(final Gid from, final Gid to, final byte[] data) {
        if (!known.hasProofs() || !SealedRecord.needsProof(data) || random.nextBoolean()) {
            return data;
        }
        final byte[] secret = new byte[AuthKey.SIZE];
        random.nextBytes(secret);
        final AuthKey key = new AuthKey(secret);
        final Endpoints endpoints = new Endpoints(from.address(), to.address());
        final boolean opens = ConnectHeader.validate(new UnsafeBuffer(data), 0, data.length) == DecodeResult.OK;
        return (opens ? Seal.first(key, data, null, endpoints) : Seal.ask(key, data, endpoints)).data();
    }

    /** A first connect to the application's port that shows the session. */
    public byte[] first(final Gid from, final Gid to) {
        return req(
                from, to, appPort, random.nextInt() & PHYSICAL_QPS,
                asIfProven(
                        from, to,
                        new ConnectHeader(RecordType.FIRST, known.session(), MEMBER, ownQpNum()).encode(NOTHING)));
    }

    /** The same from the physical queue pair that the peer has. */
    public byte[] leftover(final Gid from, final Gid to) {
        return req(
                from, to, bondPort, known.clientPhysical(),
                new ConnectHeader(RecordType.FIRST, known.session(), MEMBER, ownQpNum()).encode(NOTHING));
    }

    /** CONTROL or PROBE. */
    public byte[] header(final RecordType type, final Gid from, final Gid to) {
        return record(from, to, new ConnectHeader(type, known.session(), MEMBER, ownQpNum()).encode(NOTHING));
    }

    private RecoveryRequest request(final RecordType type) {
        return new RecoveryRequest(
                type,
                FailureReason.RETRY_EXC,
                known.session(),
                ownQpNum(),
                targetQpNum(),
                1 + random.nextInt(EPOCHS_AHEAD),
                0,
                new ReceiverCounts(random.nextInt(1 << 20), 0));
    }

    /** RECOVER or CLOSE. */
    public byte[] session(final RecordType type, final Gid from, final Gid to) {
        return record(from, to, new SessionRecord(MEMBER, request(type)).encode());
    }

    public byte[] outOfBand(final Gid from, final Gid to) {
        return record(from, to, new OutOfBandRecord(MEMBER, known.instance(), request(RecordType.OOB)).encode());
    }

    /** Says that a datagram queue pair lives at the sender's. */
    public byte[] datagram(final Gid from, final Gid to) {
        return record(
                from,
                to,
                new DatagramRecord(
                                known.instance(), MEMBER, ownQpNum(), 1 + random.nextInt(PHYSICAL_QPS - 1),
                                DatagramRecord.CALL, targetQpNum(), List.of())
                        .encodeRequest());
    }

    public byte[] rep(final Gid from) {
        final List<MemberAddress> members =
                List.of(new MemberAddress(0, from.address().getAddress()));
        return CmMessages.rep(
                ids(),
                new QpEnd(random.nextInt() & PHYSICAL_QPS, random.nextInt() & Wire.MASK_24),
                random.nextLong(),
                ConnectParameters.of(new ReplyRecord(
                                MEMBER,
                                known.instance(),
                                new RecoveryReply(
                                        known.session(), ownQpNum(), 1 + random.nextInt(EPOCHS_AHEAD),
                                        new ReceiverCounts(random.nextInt(1 << 20), 0)),
                                members,
                                NOTHING)
                        .encode()));
    }

    public byte[] rtu() {
        return CmMessages.rtu(ids());
    }

    public byte[] rej() {
        return CmMessages.rej(
                ids(),
                RejDescriptor.MESSAGE_OTHER,
                RejectReason.CONSUMER_DEFINED,
                new RejectRecord(RejectCode.UNKNOWN_SESSION, known.session(), 0).encode());
    }

    /** Says that no answer came: found by the sender's own id alone. */
    public byte[] rejTimeout() {
        final CommIds ids = ids();
        return CmMessages.rejTimeout(new CommIds(ids.local(), 0, ids.transaction()), false, random.nextLong());
    }

    public byte[] dreq() {
        return CmMessages.dreq(ids(), random.nextInt() & PHYSICAL_QPS);
    }

    public byte[] drep() {
        return CmMessages.drep(ids());
    }

    public byte[] mra() {
        return CmMessages.mra(ids(), false, 31);
    }

    public byte[] sidrReq(final Gid from, final Gid to) {
        return CmMessages.sidrReq(
                new CommIds(random.nextInt(), 0, random.nextLong()),
                new CmRoute(from, random.nextLong(), 1024 + random.nextInt(60_000), to, bondPort),
                NOTHING);
    }

    public byte[] sidrRep() {
        return CmMessages.sidrRep(
                new CommIds(0, random.nextInt(), random.nextLong()),
                0, random.nextInt() & PHYSICAL_QPS, random.nextInt(), 0, NOTHING);
    }
}
