package io.vhca.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import java.lang.foreign.Arena;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CmCallsTest {
    private final Arena arena = Arena.ofConfined();
    private final HandleTable handles = new HandleTable();
    private final CmCalls calls = new CmCalls(handles, () -> {
        throw new AssertionError("no device is needed");
    });
    private final Deque<CmEvent> events = new ArrayDeque<>();
    private final List<Long> waits = new ArrayList<>();
    /** Runs once somebody has taken an event or made an id, and has not given it a number yet. */
    private Runnable taken = () -> {};

    private int openIds;
    private int closes;
    private final CmId id = like(CmId.class, (proxy, method, arguments) -> null);
    private final EventChannel channel = new EventChannel(
            handles, like(CmEventChannel.class, (proxy, method, arguments) -> answer(method, arguments)));
    private final long number = handles.put(channel);
    private final long at = arena.allocate(16, 8).address();

    @AfterEach
    void free() {
        arena.close();
    }

    private static <T> T like(final Class<T> type, final InvocationHandler answers) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, answers));
    }

    private static CmEvent established(final CmId of) {
        return event(CmEventType.ESTABLISHED, of);
    }

    private static CmEvent event(final CmEventType type, final CmId of) {
        return like(CmEvent.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "type" -> type;
            case "id" -> of;
            default -> null;
        });
    }

    /** What the device's channel answers. */
    private @Nullable Object answer(final Method method, final Object[] arguments) {
        switch (method.getName()) {
            case "getEvent" -> {
                waits.add((Long) arguments[0]);
                final CmEvent event = events.poll();
                taken.run();
                return event;
            }
            case "createId" -> {
                openIds++;
                taken.run();
                return counted();
            }
            default -> {
                if (openIds > 0) {
                    throw new VerbsException("destroyEventChannel", Errno.EBUSY, "cm", "an id is open on it");
                }
                closes++;
                return null;
            }
        }
    }

    private CmId counted() {
        return like(CmId.class, (proxy, method, arguments) -> {
            openIds -= method.getName().equals("close") ? 1 : 0;
            return null;
        });
    }

    private int getEvent(final int timeoutMs) {
        return calls.getEvent(number, at, at + 8, timeoutMs);
    }

    /** What was about an id that is destroyed ended the wait. */
    @Test
    void whoWaitsForAnEventWaitsOnAfterOneThatIsPassedOver() {
        events.add(established(id));
        channel.add("createId", id);
        final CmId gone = like(CmId.class, (proxy, method, arguments) -> null);
        events.addFirst(established(gone));
        assertThat(getEvent(-1)).isEqualTo(CmEventType.ESTABLISHED.code());
        assertThat(waits).containsExactly(Long.MAX_VALUE, Long.MAX_VALUE);
        waits.clear();
        events.add(established(gone));
        assertThat(getEvent(3_600_000)).isEqualTo(-1);
        assertThat(waits).hasSize(2).allMatch(ns -> ns > TimeUnit.MINUTES.toNanos(30));
        waits.clear();
        events.add(established(gone));
        assertThat(getEvent(0)).isEqualTo(-1);
        assertThat(waits).containsExactly(0L, 0L);
    }

    /** Another thread destroys the channel while this one has taken a request that has no number yet. */
    @Test
    void aChannelIsClosedBehindARequestThatWasTakenAsItWasDestroyed() {
        openIds = 1;
        events.add(event(CmEventType.CONNECT_REQUEST, counted()));
        destroyOnceTaken();
        assertThat(getEvent(0)).isEqualTo(-1);
        assertThat(openIds).isZero();
        assertThat(closes).isEqualTo(1);
    }

    @Test
    void aChannelIsClosedBehindAnIdThatWasMadeAsItWasDestroyed() {
        destroyOnceTaken();
        assertThatThrownBy(() -> calls.createId(number))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EINVAL");
        assertThat(openIds).isZero();
        assertThat(closes).isEqualTo(1);
    }

    private void destroyOnceTaken() {
        taken = () -> {
            taken = () -> {};
            calls.destroyEventChannel(number);
            assertThat(closes).isZero();
        };
    }
}
