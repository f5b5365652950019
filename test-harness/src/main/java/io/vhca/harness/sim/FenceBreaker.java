package io.vhca.harness.sim;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A member device on which no fence works: a queue pair that is moved to ERR, disconnected or destroyed goes on as if
 * nothing had been asked, and says that markers cannot be posted. What a bond without the fence step would have below
 * it. The simulator breaks bonds with it, to see that the checkers notice.
 */
final class FenceBreaker {
    private static final Set<String> POSTS = Set.of("postSend", "postRecv");

    private final Context device;
    private final Map<CmId, CmId> proxies = new IdentityHashMap<>();
    private final List<CmId> graves = new ArrayList<>();
    private boolean isOver;

    FenceBreaker(final Context device) {
        this.device = device;
    }

    /** The device as the bond sees it. */
    Context context() {
        return proxy(Context.class, (self, method, arguments) -> {
            final Object result = call(device, method, arguments);
            return result instanceof CmEventChannel channel ? channel(channel) : result;
        });
    }

    /** Really destroys what the bond believes to have destroyed, and breaks nothing from now on. */
    void bury() {
        isOver = true;
        for (final CmId grave : graves) {
            grave.close();
        }
        graves.clear();
    }

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
            if (graves.contains(event.id())) {
                event.ack();
                continue;
            }
            final CmEvent kept = event;
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
        return proxy(CmId.class, (self, method, arguments) -> switch (isOver ? "" : method.getName()) {
            case "disconnect", "destroyQp" -> Absent.NOTHING;
            case "close" -> {
                if (!graves.contains(real)) {
                    graves.add(real);
                }
                yield Absent.NOTHING;
            }
            case "createQp" -> {
                qp[0] = qpProxy((QueuePair) call(real, method, arguments));
                yield qp[0];
            }
            case "qp" -> qp[0] == null ? Absent.NOTHING : qp[0];
            default -> call(real, method, arguments);
        });
    }

    private QueuePair qpProxy(final QueuePair real) {
        final boolean[] isFenced = new boolean[1];
        return proxy(QueuePair.class, (self, method, arguments) -> {
            if (isOver) {
                return call(real, method, arguments);
            }
            if (method.getName().equals("modify")
                    && ((QpAttributes) arguments[0]).qpState() == QpState.ERR) {
                isFenced[0] = true;
                return Absent.NOTHING;
            }
            if (isFenced[0] && POSTS.contains(method.getName())) {
                return -Errno.EINVAL;
            }
            return method.getName().equals("close") ? Absent.NOTHING : call(real, method, arguments);
        });
    }

    private static Object call(final Object target, final Method method, final Object[] arguments) throws Throwable {
        try {
            final Object result = method.invoke(target, arguments);
            return result == null ? Absent.NOTHING : result;
        } catch (final InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static <T> T proxy(final Class<T> type, final Handler handler) {
        final InvocationHandler invocation = (self, method, arguments) -> switch (method.getName()) {
            case "equals" -> self == arguments[0];
            case "hashCode" -> System.identityHashCode(self);
            case "toString" -> "unfenced " + type.getSimpleName();
            default -> unwrap(handler.handle(self, method, arguments == null ? new Object[0] : arguments));
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, invocation));
    }

    @SuppressWarnings("NullAway")
    private static Object unwrap(final Object result) {
        return result == Absent.NOTHING ? null : result;
    }

    /** Stands for null, which handlers do not return. */
    private enum Absent {
        NOTHING
    }

    /** A proxy's behaviour. */
    private interface Handler {
        Object handle(Object self, Method method, Object[] arguments) throws Throwable;
    }
}
