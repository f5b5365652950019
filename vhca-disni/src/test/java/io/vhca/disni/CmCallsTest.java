package io.vhca.disni;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import java.lang.foreign.Arena;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CmCallsTest {
    private final Arena arena = Arena.ofShared();
    private final HandleTable handles = new HandleTable();
    private final CmCalls calls = new CmCalls(handles, () -> {
        throw new AssertionError("no device is needed");
    });
    private final Deque<CmEvent> events = new ArrayDeque<>();
    private final List<Long> waits = new ArrayList<>();
    private Runnable meanwhile = () -> { };
    private final CmId id = like(CmId.class, (proxy, method, arguments) -> null);
    private final EventChannel channel =
            new EventChannel(handles, like(CmEventChannel.class, (proxy, method, arguments) -> {
                waits.add((Long) arguments[0]);
                meanwhile.run();
                return Thread.currentThread().isInterrupted() ? null : events.poll();
            }));
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
        return like(CmEvent.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "type" -> CmEventType.ESTABLISHED;
            case "id" -> of;
            default -> null;
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

    /** DiSNI's native library waits in poll(2), where a thread of Java is not interrupted. */
    @Test
    void anInterruptEndsNoWait() {
        channel.add("createId", id);
        for (final int timeoutMs : new int[] {-1, 3_600_000, 0}) {
            events.add(established(id));
            Thread.currentThread().interrupt();
            assertThat(getEvent(timeoutMs)).isEqualTo(CmEventType.ESTABLISHED.code());
            assertThat(Thread.interrupted()).isTrue();
            waits.clear();
            Thread.currentThread().interrupt();
            assertThat(getEvent(timeoutMs)).as("none in that time").isEqualTo(-1);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(waits).hasSize(2);
        }
    }

    @Test
    void anInterruptEndsTheWaitAtAChannelThatIsGone() {
        meanwhile = () -> {
            meanwhile = () -> { };
            handles.remove(number);
            Thread.currentThread().interrupt();
        };
        assertThat(getEvent(-1)).isEqualTo(-1);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(waits).hasSize(1);
    }

    /** A channel of the device's that refuses to be closed while an id is open, as all do. */
    private static final class Strict {
        private final Set<CmId> open = new HashSet<>();
        private Runnable meanwhile = () -> { };
        private boolean isClosed;
        private final CmEventChannel channel = like(CmEventChannel.class, (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "createId" -> {
                    final CmId made = id();
                    meanwhile.run();
                    return made;
                }
                case "getEvent" -> {
                    if (isClosed || (Long) arguments[0] == 0) {
                        return null;
                    }
                    final CmId asked = id();
                    meanwhile.run();
                    return request(asked);
                }
                default -> {
                    if (!open.isEmpty()) {
                        throw new VerbsException("destroyEventChannel", Errno.EBUSY, "channel", "an id is open");
                    }
                    isClosed = true;
                    return null;
                }
            }
        });

        private CmId id() {
            final CmId made = like(CmId.class, (proxy, method, arguments) -> switch (method.getName()) {
                case "hashCode" -> System.identityHashCode(proxy);
                case "equals" -> proxy == arguments[0];
                case "close" -> {
                    open.remove(proxy);
                    yield null;
                }
                default -> null;
            });
            open.add(made);
            return made;
        }

        private static CmEvent request(final CmId of) {
            return like(CmEvent.class, (proxy, method, arguments) -> switch (method.getName()) {
                case "type" -> CmEventType.CONNECT_REQUEST;
                case "id" -> of;
                default -> null;
            });
        }
    }

    @Test
    void aChannelThatIsDestroyedWhileARequestIsTakenIsClosed() {
        final Strict strict = new Strict();
        final long handle = handles.put(new EventChannel(handles, strict.channel));
        strict.meanwhile = () -> calls.destroyEventChannel(handle);
        assertThat(calls.getEvent(handle, at, at + 8, -1)).isEqualTo(-1);
        assertThat(strict.open).isEmpty();
        assertThat(strict.isClosed).isTrue();
    }

    @Test
    void aChannelThatIsDestroyedWhileAnIdIsMadeIsClosedAfterIt() {
        final Strict strict = new Strict();
        final long handle = handles.put(new EventChannel(handles, strict.channel));
        strict.meanwhile = () -> calls.destroyEventChannel(handle);
        final long made = calls.createId(handle);
        assertThat(strict.isClosed).isFalse();
        calls.destroyId(made);
        assertThat(strict.open).isEmpty();
        assertThat(strict.isClosed).isTrue();
    }
}
