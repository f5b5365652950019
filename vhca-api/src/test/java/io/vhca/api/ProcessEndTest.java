package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The hook, called by hand. */
class ProcessEndTest {
    private final List<String> said = new ArrayList<>();

    @Test
    void virtualDevicesSayGoodbyeFirstAndOneThatFailsKeepsNobodyFromIt() {
        final List<ProcessEnd> all = List.of(
                ProcessEnd.register(ProcessEnd.Layer.PHYSICAL, () -> said.add("soft")),
                ProcessEnd.register(ProcessEnd.Layer.VIRTUAL, () -> {
                    throw new IllegalStateException("no");
                }),
                ProcessEnd.register(ProcessEnd.Layer.VIRTUAL, () -> said.add("bond")));
        ProcessEnd.sayGoodbyes();
        all.forEach(ProcessEnd::close);
        assertThat(said).containsExactly("bond", "soft");
    }

    @Test
    void theHookIsThereFromTheFirstToTheLastAndWhatIsClosedSaysNothing() {
        assertThat(ProcessEnd.isHooked()).isFalse();
        final ProcessEnd one = ProcessEnd.register(ProcessEnd.Layer.PHYSICAL, () -> said.add("one"));
        final ProcessEnd other = ProcessEnd.register(ProcessEnd.Layer.PHYSICAL, () -> said.add("other"));
        one.close();
        one.close();
        assertThat(ProcessEnd.isHooked()).isTrue();
        ProcessEnd.sayGoodbyes();
        assertThat(said).containsExactly("other");
        other.close();
        assertThat(ProcessEnd.isHooked()).isFalse();
        ProcessEnd.register(ProcessEnd.Layer.PHYSICAL, () -> said.add("again")).close();
        assertThat(ProcessEnd.isHooked()).isFalse();
    }

    @Test
    void whoWantsNoneHasNoHook() {
        System.setProperty(ProcessEnd.PROPERTY, "off");
        try {
            final ProcessEnd none = ProcessEnd.register(ProcessEnd.Layer.PHYSICAL, () -> said.add("unasked"));
            assertThat(ProcessEnd.isHooked()).isFalse();
            ProcessEnd.sayGoodbyes();
            none.close();
            assertThat(said).isEmpty();
        } finally {
            System.clearProperty(ProcessEnd.PROPERTY);
        }
    }

    /** As a device does that is closed by the application's own hook. */
    @Test
    void aGoodbyeMayCloseDevices() {
        final List<ProcessEnd> own = new ArrayList<>();
        own.add(ProcessEnd.register(ProcessEnd.Layer.VIRTUAL, () -> own.forEach(ProcessEnd::close)));
        ProcessEnd.sayGoodbyes();
        assertThat(ProcessEnd.isHooked()).isFalse();
    }
}
