package io.vhca.harness.frozen;

import io.vhca.api.Context;
import io.vhca.api.QueuePair;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.harness.frozen.FirstVersion.Read;
import io.vhca.harness.sim.proxy.MemberProxy;
import java.lang.reflect.Method;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A member device of a bond that speaks {@link FirstVersion}: what the bond sends must be of that version byte for
 * byte, and of what arrives it gets what that version reads, written anew. A record with a proof arrives as it is, for
 * the proof is of all its bytes.
 */
public final class FirstVersionMember extends MemberProxy {
    private final Consumer<String> faults;

    /** @param faults is told what is wrong with a record */
    public FirstVersionMember(final Context device, final Consumer<String> faults) {
        super(device);
        this.faults = faults;
    }

    @Override
    protected Object onIdCall(final CmId real, final Method method, final Object[] arguments) throws Throwable {
        if (arguments.length == 1 && arguments[0] instanceof ConnectParameters parameters) {
            sent(method.getName(), parameters.privateData());
        } else if (method.getName().equals("reject") && arguments[0] instanceof byte[] data) {
            sent(method.getName(), data);
        }
        return call(real, method, arguments);
    }

    private void sent(final String verb, final byte[] data) {
        final String fault = FirstVersion.faultOf(data);
        if (fault != null) {
            faults.accept(verb + ": " + fault);
        }
    }

    @Override
    protected CmEvent shown(final CmEvent event) {
        final byte[] data = event.privateData();
        final boolean isOfBond = event.type() == CmEventType.CONNECT_REQUEST
                || event.type() == CmEventType.ESTABLISHED
                || event.type() == CmEventType.REJECTED;
        if (!isOfBond || !FirstVersion.isRecord(data)) {
            return event;
        }
        final Read read = FirstVersion.read(data);
        return read == null || read.isSealed() ? event : new Seen(event, FirstVersion.write(read));
    }

    @Override
    protected Object onQpCall(final QueuePair real, final Method method, final Object[] arguments) throws Throwable {
        return call(real, method, arguments);
    }

    /** The event with the record as the version has it. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Seen(CmEvent real, byte[] privateData) implements CmEvent {
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
