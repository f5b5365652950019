package io.vhca.harness.sim.defect;

import io.vhca.api.Context;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.harness.sim.proxy.StandIns;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.ReplyRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.SessionRecord;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A request to recover or to close counts whatever session it shows: each is taken for the one of its target. */
final class SessionNotCompared implements Defect {
    /** Of this bond's vQPs, by number. */
    private final Map<Integer, SessionId> sessions = new HashMap<>();

    @Override
    public Context member(final Context device) {
        return new BelievingMember(device).context();
    }

    private final class BelievingMember extends StandIns {
        BelievingMember(final Context device) {
            super(device);
        }

        /** Sees which of the bond's vQPs has which session. */
        @Override
        protected Object onIdCall(final CmId real, final Method method, final Object[] arguments) throws Throwable {
            if (arguments.length == 1 && arguments[0] instanceof ConnectParameters parameters) {
                final byte[] data = parameters.privateData();
                final UnsafeBuffer buffer = new UnsafeBuffer(data);
                if (method.getName().equals("connect")
                        && ConnectHeader.validate(buffer, 0, data.length) == DecodeResult.OK) {
                    final ConnectHeader header = ConnectHeader.decode(buffer, 0);
                    sessions.put(header.vQpNum(), header.session());
                } else if (method.getName().equals("accept")
                        && ReplyRecord.validate(buffer, 0, data.length) == DecodeResult.OK) {
                    final ReplyRecord record = ReplyRecord.decode(buffer, 0);
                    sessions.put(record.reply().vQpNum(), record.reply().session());
                }
            }
            return super.onIdCall(real, method, arguments);
        }

        @Override
        protected CmEvent shown(final CmEvent event) {
            final byte[] data = event.privateData();
            final UnsafeBuffer buffer = new UnsafeBuffer(data);
            if (event.type() != CmEventType.CONNECT_REQUEST
                    || SessionRecord.validate(buffer, 0, data.length) != DecodeResult.OK) {
                return event;
            }
            final SessionRecord record = SessionRecord.decode(buffer, 0);
            final RecoveryRequest said = record.request();
            final SessionId own = sessions.get(said.targetQpNum());
            if (own == null) {
                return event;
            }
            final RecoveryRequest believed = new RecoveryRequest(
                    said.type(), said.reason(), own, said.senderQpNum(), said.targetQpNum(), said.epoch(),
                    said.answerTimeoutUs(), said.counts());
            return new Believed(event, new SessionRecord(record.sender(), believed).encode());
        }
    }

    /** The event of a request with another record. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Believed(CmEvent real, byte[] privateData) implements CmEvent {
        @Override
        public CmEventType type() {
            return real.type();
        }

        @Override
        public CmId id() {
            return real.id();
        }

        @Override
        public @Nullable CmId listenId() {
            return real.listenId();
        }

        @Override
        public int status() {
            return real.status();
        }

        @Override
        public ConnectParameters parameters() {
            return real.parameters();
        }

        @Override
        public void ack() {
            real.ack();
        }
    }
}
