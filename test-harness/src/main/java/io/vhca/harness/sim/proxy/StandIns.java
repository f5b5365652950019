package io.vhca.harness.sim.proxy;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.cm.CmId;
import java.lang.reflect.Method;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * A member device some of whose objects are replaced by stand-ins. Where the bond passes a stand-in, the device gets
 * the object behind it.
 */
public abstract class StandIns extends MemberProxy {
    private final Map<Object, Object> reals = new IdentityHashMap<>();

    protected StandIns(final Context device) {
        super(device);
    }

    @Override
    protected Object onContextCall(final Context real, final Method method, final Object[] arguments)
            throws Throwable {
        final Object result = call(real, method, reals(arguments));
        return result instanceof ProtectionDomain pd
                ? stand(ProtectionDomain.class, pd, (called, given) -> onPdCall(pd, called, given))
                : result;
    }

    /** A call of a protection domain; its result may be stood in for. */
    protected Object onPdCall(final ProtectionDomain real, final Method method, final Object[] arguments)
            throws Throwable {
        return call(real, method, reals(arguments));
    }

    @Override
    protected Object onIdCall(final CmId real, final Method method, final Object[] arguments) throws Throwable {
        return call(real, method, reals(arguments));
    }

    @Override
    protected Object onQpCall(final QueuePair real, final Method method, final Object[] arguments) throws Throwable {
        return call(real, method, arguments);
    }

    /** What stands for an object towards the bond. */
    protected final <T> T stand(final Class<T> type, final T real, final Caller caller) {
        final T shown = proxy(type, (self, method, arguments) -> caller.call(method, arguments));
        reals.put(shown, real);
        return shown;
    }

    /** The same arguments with the objects themselves. */
    protected final Object[] reals(final Object[] arguments) {
        final Object[] result = arguments.clone();
        for (int i = 0; i < result.length; i++) {
            result[i] = real(result[i]);
            if (result[i] instanceof QpInitAttributes init) {
                final SharedReceiveQueue srq = init.srq();
                result[i] = new QpInitAttributes(
                        (CompletionQueue) real(init.sendCq()), (CompletionQueue) real(init.recvCq()),
                        srq == null ? null : (SharedReceiveQueue) real(srq), init.cap(), init.qpType(),
                        init.sqSigAll());
            }
        }
        return result;
    }

    private Object real(final Object shown) {
        final Object real = reals.get(shown);
        return real == null ? shown : real;
    }

    /** How a call of one of these is answered. */
    protected interface Caller {
        Object call(Method method, Object[] arguments) throws Throwable;
    }
}
