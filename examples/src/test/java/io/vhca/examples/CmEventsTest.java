package io.vhca.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who waits for one event of one id misses none of the others. */
class CmEventsTest {
    private static final long NO_TIME = 1;

    private final ArrayDeque<CmEvent> queue = new ArrayDeque<>();
    private final CmEvents events = new CmEvents(answering(CmEventChannel.class, "getEvent", queue));
    private final CmId id = answering(CmId.class, "", new ArrayDeque<>());
    private final CmId other = answering(CmId.class, "", new ArrayDeque<>());

    /** One that gives the next of {@code answers} to {@code method}, and null to all else. */
    private static <T> T answering(final Class<T> type, final String method, final ArrayDeque<?> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, called, arguments) -> switch (called.getName()) {
                    case "equals" -> self == arguments[0];
                    case "hashCode" -> System.identityHashCode(self);
                    default -> called.getName().equals(method) ? answers.poll() : null;
                }));
    }

    private static CmEvent event(final CmEventType type, final CmId id) {
        return (CmEvent) Proxy.newProxyInstance(
                CmEvent.class.getClassLoader(),
                new Class<?>[] {CmEvent.class},
                (self, called, arguments) -> switch (called.getName()) {
                    case "type" -> type;
                    case "id" -> id;
                    default -> null;
                });
    }

    @Test
    void whoLooksWhetherAConnectionIsOverLeavesThatItStands() {
        queue.add(event(CmEventType.ESTABLISHED, id));

        assertThat(events.isOver(id)).isFalse();

        assertThat(events.await(id, CmEventType.ESTABLISHED, "connect", NO_TIME).id()).isSameAs(id);
    }

    @Test
    void aConnectionIsOverOnceItSaysSoAndStaysSo() {
        queue.addAll(List.of(event(CmEventType.ESTABLISHED, id), event(CmEventType.DISCONNECTED, id)));

        assertThat(events.isOver(other)).isFalse();
        assertThat(events.isOver(id)).isTrue();
        assertThat(events.isOver(id)).isTrue();
    }
}
