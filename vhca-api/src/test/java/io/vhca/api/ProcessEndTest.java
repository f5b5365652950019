package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
        ProcessEnd.sayGoodbyes(ProcessEnd.MOST);
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
        ProcessEnd.sayGoodbyes(ProcessEnd.MOST);
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
            ProcessEnd.sayGoodbyes(ProcessEnd.MOST);
            none.close();
            assertThat(said).isEmpty();
        } finally {
            System.clearProperty(ProcessEnd.PROPERTY);
        }
    }

    @Test
    void filesGoLast() {
        final ProcessEnd file = ProcessEnd.register(ProcessEnd.Layer.FILES, () -> said.add("file"));
        final ProcessEnd soft = ProcessEnd.register(ProcessEnd.Layer.PHYSICAL, () -> said.add("soft"));
        ProcessEnd.sayGoodbyes(ProcessEnd.MOST);
        assertThat(said).containsExactly("soft", "file");
        soft.close();
        file.close();
        assertThat(ProcessEnd.isHooked()).isFalse();
    }

    /** The application's own hook goes on with its devices, and whoever looks for them finds them so long. */
    @Test
    void whoSaysGoodbyeHimselfKeepsHisFilesUntilHeCloses() {
        System.setProperty(ProcessEnd.PROPERTY, "off");
        try (ProcessEnd _ = ProcessEnd.register(ProcessEnd.Layer.FILES, () -> said.add("file"))) {
            assertThat(ProcessEnd.isHooked()).isFalse();
        } finally {
            System.clearProperty(ProcessEnd.PROPERTY);
        }
        assertThat(said).isEmpty();
    }

    /** A device whose lock is held for ever keeps no process from its end. */
    @Test
    @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aGoodbyeThatNeverComesToAnEndIsLeft() throws InterruptedException {
        final Semaphore never = new Semaphore(0);
        final ProcessEnd stuck = ProcessEnd.register(ProcessEnd.Layer.VIRTUAL, never::acquireUninterruptibly);
        final ProcessEnd file = ProcessEnd.register(ProcessEnd.Layer.FILES, () -> said.add("file"));
        final Thread speaker = ProcessEnd.sayGoodbyes(Duration.ofMillis(1));
        assertThat(said).containsExactly("file");
        file.close();
        assertThat(speaker.isAlive()).as("it is waiting still, or not there yet").isTrue();
        never.release();
        speaker.join(); // or it would say the goodbyes of the next test
        stuck.close();
    }

    /** As a device does that is closed by the application's own hook. */
    @Test
    void aGoodbyeMayCloseDevices() {
        final List<ProcessEnd> own = new ArrayList<>();
        own.add(ProcessEnd.register(ProcessEnd.Layer.VIRTUAL, () -> own.forEach(ProcessEnd::close)));
        ProcessEnd.sayGoodbyes(ProcessEnd.MOST);
        assertThat(ProcessEnd.isHooked()).isFalse();
    }
}
