package io.vhca.harness.explore;

import static io.vhca.harness.explore.MessageDescriptor.connectionOf;
import static io.vhca.harness.explore.MessageDescriptor.received;

import io.vhca.recovery.PathId;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.MemberId;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.ReplyRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.SessionRecord;
import java.util.List;
import java.util.Objects;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;

/** What the numbers of {@link MessageDescriptor} say, as records that went through the product's own codecs once. */
final class Exchange {
    static final SessionId SESSION = new SessionId(1, 2);
    static final PathId PATH = new PathId(0, 0);

    private static final int QP_NUM = 16;
    private static final MemberId MEMBER = new MemberId(0, 0);

    private final Int2ObjectHashMap<RecoveryRequest> requests = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<RecoveryReply> replies = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<RejectRecord> rejects = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<Object> waiting = new Int2ObjectHashMap<>();

    /** The number of a side's virtual queue pair. */
    static int qpNum(final int side) {
        return QP_NUM + side;
    }

    RecoveryRequest request(final int message) {
        final RecoveryRequest known = requests.get(message);
        return known != null ? known : keep(message, decode(encode(message)));
    }

    private RecoveryRequest keep(final int message, final RecoveryRequest made) {
        requests.put(message, made);
        return made;
    }

    private static byte[] encode(final int message) {
        final int asker = MessageDescriptor.asker(message);
        final RecordType type = MessageDescriptor.isClose(message) ? RecordType.CLOSE : RecordType.RECOVER;
        return new SessionRecord(MEMBER, new RecoveryRequest(
                        type, FailureReason.RETRY_EXC, SESSION, qpNum(asker), qpNum(1 - asker),
                        MessageDescriptor.epoch(message), 0, new ReceiverCounts(received(message), 0)))
                .encode();
    }

    private static RecoveryRequest decode(final byte[] bytes) {
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        return SessionRecord.decode(buffer, 0).request();
    }

    RecoveryReply reply(final int message) {
        RecoveryReply known = replies.get(message);
        if (known == null) {
            final int answering = 1 - MessageDescriptor.asker(message);
            final RecoveryReply said = new RecoveryReply(SESSION, qpNum(answering), MessageDescriptor.epoch(message),
                    new ReceiverCounts(received(message), 0));
            final byte[] bytes = new ReplyRecord(MEMBER, 1, said, List.of(), new byte[0]).encode();
            known = ReplyRecord.decode(new UnsafeBuffer(bytes), 0).reply();
            replies.put(message, known);
        }
        return known;
    }

    RejectRecord reject(final int message) {
        RejectRecord known = rejects.get(message);
        if (known == null) {
            final RejectCode code = Objects.requireNonNull(RejectCode.fromCode(MessageDescriptor.code(message)));
            final byte[] bytes = new RejectRecord(code, SESSION, MessageDescriptor.heard(message)).encode();
            known = Objects.requireNonNull(RejectRecord.read(bytes));
            rejects.put(message, known);
        }
        return known;
    }

    /** The REQ as a machine keeps it while it drains; its token is the message. */
    Object waiting(final int message) {
        Object known = waiting.get(message);
        if (known == null) {
            known = MachineImage.request(request(message), message, PATH);
            waiting.put(message, known);
        }
        return known;
    }

    /** The REQ that asked for the connection of a message. */
    static int requestOf(final int connection, final int received) {
        return MessageDescriptor.message(MessageDescriptor.REQ, connectionOf(connection), received, 0, 0);
    }
}
