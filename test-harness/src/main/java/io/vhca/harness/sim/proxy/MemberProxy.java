package io.vhca.harness.sim.proxy;

import io.vhca.api.AsyncEvent;
import io.vhca.api.Context;
import io.vhca.api.QueuePair;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.IdentityHashMap;
import java.util.Map;

/** Stands between a bond and a member device: sees, and may change, what the bond asks of ids and queue pairs. */
public abstract class MemberProxy {
    private final Context device;
    private final Map<CmId, CmId> proxies = new IdentityHashMap<>();
    private final Map<QueuePair, QueuePair> qps = new IdentityHashMap<>();
    private final Map<AsyncEvent, AsyncEvent> unacked = new IdentityHashMap<>();

    protected MemberProxy(final Context device) {
        this.device = device;
    }

    /** The device as the bond sees it. */
    public Context context() {
        return proxy(Context.class, (self, method, arguments) -> {
            if (method.getName().equals("ackAsyncEvent") && arguments[0] instanceof AsyncEvent event) {
                final AsyncEvent real = unacked.remove(event);
                return call(device, method, new Object[] {real == null ? event : real});
            }
            final Object result = onContextCall(device, method, arguments);
            return result instanceof CmEventChannel channel ? channel(channel)
                    : result instanceof AsyncEvent event ? seen(event) : result;
        });
    }

    /** An event of a queue pair, with that one as the bond knows it. */
    private AsyncEvent seen(final AsyncEvent event) {
        final QueuePair known = event.qp() == null ? null : qps.get(event.qp());
        if (known == null) {
            return event;
        }
        final AsyncEvent shown = AsyncEvent.ofQp(event.type(), known);
        unacked.put(shown, event);
        return shown;
    }

    /** True where the bond has no such id any more: its events are not for it. */
    protected boolean isGone(final CmId real) {
        return false;
    }

    /** What the bond is told in place of an event. */
    protected CmEvent shown(final CmEvent event) {
        return event;
    }

    /** A call of the device; {@link #call} lets it through. */
    protected Object onContextCall(final Context real, final Method method, final Object[] arguments) throws Throwable {
        return call(real, method, arguments);
    }

    /** A call of an id; {@link #call} lets it through. */
    protected Object onIdCall(final CmId real, final Method method, final Object[] arguments) throws Throwable {
        return call(real, method, arguments);
    }

    /** A call of a queue pair that an id made; {@link #call} lets it through. */
    protected abstract Object onQpCall(QueuePair real, Method method, Object[] arguments) throws Throwable;

    private CmEventChannel channel(final CmEventChannel real) {
        return proxy(CmEventChannel.class, (self, method, arguments) -> {
            if (method.getName().equals("getEvent")) {
                return event(real, (long) arguments[0]);
            }
            final Object result = call(real, method, arguments);
            return result instanceof CmId id ? idProxy(id) : result;
        });
    }

    /** The next event of an id that the bond still has. */
    private Object event(final CmEventChannel real, final long timeoutNs) {
        for (CmEvent event = real.getEvent(timeoutNs); event != null; event = real.getEvent(timeoutNs)) {
            if (isGone(event.id())) {
                event.ack();
                continue;
            }
            final CmEvent kept = shown(event);
            return proxy(CmEvent.class, (self, method, arguments) -> {
                final Object result = call(kept, method, arguments);
                return result instanceof CmId id ? idProxy(id) : result;
            });
        }
        return Absent.NOTHING;
    }

    private CmId idProxy(final CmId real) {
        return proxies.computeIfAbsent(real, this::newIdProxy);
    }

    private CmId newIdProxy(final CmId real) {
        final QueuePair[] qp = new QueuePair[1];
        return proxy(CmId.class, (self, method, arguments) -> switch (method.getName()) {
            case "createQp" -> {
                qp[0] = qpProxy((QueuePair) onIdCall(real, method, arguments));
                yield qp[0];
            }
            case "qp" -> qp[0] == null ? Absent.NOTHING : qp[0];
            default -> onIdCall(real, method, arguments);
        });
    }

    private QueuePair qpProxy(final QueuePair real) {
        final QueuePair shown =
                proxy(QueuePair.class, (self, method, arguments) -> onQpCall(real, method, arguments));
        qps.put(real, shown);
        return shown;
    }

    protected static Object call(final Object target, final Method method, final Object[] arguments) throws Throwable {
        try {
            final Object result = method.invoke(target, arguments);
            return result == null ? Absent.NOTHING : result;
        } catch (final InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    protected static <T> T proxy(final Class<T> type, final Handler handler) {
        final InvocationHandler invocation = (self, method, arguments) -> switch (method.getName()) {
            case "equals" -> self == arguments[0];
            case "hashCode" -> System.identityHashCode(self);
            case "toString" -> "watched " + type.getSimpleName();
            default -> unwrap(handler.handle(self, method, arguments == null ? new Object[0] : arguments));
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, invocation));
    }

    @SuppressWarnings("NullAway")
    private static Object unwrap(final Object result) {
        return result == Absent.NOTHING ? null : result;
    }

    /** Stands for null, which handlers do not return. */
    protected enum Absent {
        NOTHING
    }

    /** A proxy's behaviour. */
    protected interface Handler {
        Object handle(Object self, Method method, Object[] arguments) throws Throwable;
    }
}
