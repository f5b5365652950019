package io.vhca.bond.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondConfigParser;
import io.vhca.bond.fake.HandCore;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OpenObjectsTest {
    private final BondRuntime core = HandCore.of(BondConfig.builder("bond0"));
    private final OpenObjects objects = new OpenObjects(core);
    private final List<String> closed = new ArrayList<>();
    private final List<String> told = new ArrayList<>();

    @AfterEach
    void close() {
        core.unlock();
        core.close();
    }

    /** An object that an application makes; what it is closed with is seen. */
    private final class Channel implements CompletionChannel {
        private final String name;

        private Channel(final String name) {
            this.name = name;
        }

        @Override
        public Context context() {
            throw new AssertionError("nobody asks");
        }

        @Override
        public void wakeUp() {
            throw new AssertionError("nobody waits");
        }

        @Override
        public @Nullable CompletionQueue getCqEvent(final long timeoutNs) {
            return null;
        }

        @Override
        public void close() {
            closed.add(name);
            objects.remove(this);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private void set(final String... options) {
        core.config(BondConfigParser.change(core.config(), List.of(options)));
    }

    @Test
    void whatIsOpenKeepsTheBondBusyAndIsNamedWithTheLineThatMadeIt() {
        assertThatCode(objects::requireNone).doesNotThrowAnyException();
        final Channel one = objects.add(new Channel("one"));
        set("memory_trace=site");
        final Channel two = objects.add(new Channel("two"));
        assertThatThrownBy(objects::requireNone)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY))
                .hasMessageContainingAll("bond0", "2 objects", "comp_channel one, comp_channel two made at ");
        objects.remove(one);
        objects.remove(two);
        assertThatCode(objects::requireNone).doesNotThrowAnyException();
    }

    @Test
    void whereTheOptionSaysSoTheyAreToldOfAndClosed() {
        core.events().observe(new BondObserver() {
            @Override
            public void onLeaks(final List<String> leaks) {
                told.addAll(leaks);
            }
        });
        objects.add(new Channel("one"));
        set("leaks=report");
        objects.requireNone();
        assertThat(closed).containsExactly("one");
        assertThat(told).containsExactly("comp_channel one");
        objects.requireNone();
        assertThat(told).hasSize(1);
    }
}
