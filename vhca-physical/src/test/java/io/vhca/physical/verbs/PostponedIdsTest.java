package io.vhca.physical.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEventChannel;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is done when the port is up again. */
class PostponedIdsTest {
    private final PostponedIds postponed = new PostponedIds();
    private final List<String> done = new ArrayList<>();
    private final CmEventChannel channel = channel();

    private static CmEventChannel channel() {
        return (CmEventChannel) Proxy.newProxyInstance(
                CmEventChannel.class.getClassLoader(),
                new Class<?>[] {CmEventChannel.class},
                (self, method, arguments) -> null);
    }

    private PostponedIds.Id id(final String name, final CmEventChannel of) {
        return new PostponedIds.Id() {
            @Override
            public CmEventChannel channel() {
                return of;
            }

            @Override
            public void discard() {
                done.add(name + " destroyed");
            }

            @Override
            public void sayDisconnected() {
                done.add(name + " disconnected");
            }
        };
    }

    @Test
    void whatWasDisconnectedOrClosedIsSoWhenThePortIsUp() {
        final PostponedIds.Id twice = id("a", channel);
        postponed.addDisconnected(twice);
        postponed.addDisconnected(twice);
        postponed.add(id("b", channel));
        assertThat(postponed.isEmpty()).isFalse();
        assertThat(done).isEmpty();
        postponed.doAll();
        assertThat(done).containsExactlyInAnyOrder("a disconnected", "b destroyed");
        assertThat(postponed.isEmpty()).isTrue();
        postponed.doAll();
        assertThat(done).hasSize(2);
    }

    @Test
    void whatIsClosedMeanwhileIsNotDisconnected() {
        final PostponedIds.Id id = id("a", channel);
        postponed.addDisconnected(id);
        postponed.forgetDisconnected(id);
        postponed.add(id);
        postponed.doAll();
        assertThat(done).containsExactly("a destroyed");
    }

    @Test
    void aChannelThatGoesTakesItsOwnAlong() {
        postponed.add(id("a", channel));
        postponed.add(id("b", channel()));
        postponed.destroyThoseOf(channel);
        assertThat(done).containsExactly("a destroyed");
        postponed.doAll();
        assertThat(done).containsExactly("a destroyed", "b destroyed");
    }
}
