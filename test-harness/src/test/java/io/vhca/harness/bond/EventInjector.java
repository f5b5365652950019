package io.vhca.harness.bond;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Context;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A device that says, besides what it has to say, what a test puts into its mouth. */
final class EventInjector {
    /** Ids that the bond created here, oldest first: the listener of its recovery port is the first. */
    final List<CmId> created = new ArrayList<>();

    /** Ids in the order of their ESTABLISHED events. */
    final List<CmId> established = new ArrayList<>();

    final ArrayDeque<CmEvent> cmEvents = new ArrayDeque<>();
    final ArrayDeque<AsyncEvent> asyncEvents = new ArrayDeque<>();

    /** What it never says. */
    final Set<AsyncEventType> withheld = EnumSet.noneOf(AsyncEventType.class);

    private record Injected(CmEventType type, CmId id) implements CmEvent {
        @Override
        public @Nullable CmId listenId() {
            return null;
        }

        @Override
        public int status() {
            return -110;
        }

        @Override
        public byte[] privateData() {
            return new byte[0];
        }

        @Override
        public ConnectParameters parameters() {
            return ConnectParameters.of(new byte[0]);
        }

        @Override
        public void ack() {
            // Nobody waits.
        }
    }

    static CmEvent event(final CmEventType type, final CmId id) {
        return new Injected(type, id);
    }

    Context wrap(final Context device) {
        return proxy(Context.class, device, (method, arguments) -> switch (method.getName()) {
            case "createEventChannel" -> channel(
                    (CmEventChannel) Objects.requireNonNull(call(device, method, arguments)));
            case "getAsyncEvent" -> asyncEvents.isEmpty() ? next(device) : asyncEvents.poll();
            default -> call(device, method, arguments);
        });
    }

    private @Nullable AsyncEvent next(final Context device) {
        AsyncEvent event = device.getAsyncEvent(0);
        while (event != null && withheld.contains(event.type())) {
            device.ackAsyncEvent(event);
            event = device.getAsyncEvent(0);
        }
        return event;
    }

    private CmEventChannel channel(final CmEventChannel real) {
        return proxy(CmEventChannel.class, real, (method, arguments) -> {
            if (method.getName().equals("getEvent") && !cmEvents.isEmpty()) {
                return cmEvents.poll();
            }
            final Object result = call(real, method, arguments);
            if (result instanceof CmId id) {
                created.add(id);
            }
            if (result instanceof CmEvent event && event.type() == CmEventType.ESTABLISHED) {
                established.add(event.id());
            }
            return result;
        });
    }

    /** What a call answers. */
    private interface Handler {
        @Nullable Object handle(Method method, @Nullable Object[] arguments) throws Throwable;
    }

    private static @Nullable Object call(final Object target, final Method method, final @Nullable Object[] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (final InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    @SuppressWarnings("NullAway") // a proxy may answer null
    private static <T> T proxy(final Class<T> type, final Object real, final Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> switch (method.getName()) {
                    case "equals" -> self == arguments[0];
                    case "hashCode" -> System.identityHashCode(self);
                    case "toString" -> "injected " + real;
                    default -> handler.handle(method, arguments);
                }));
    }
}
