package io.vhca.physical.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.CompletionChannel;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmPortSpace;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EventChannelTest {
    /** Its id would never hear anything, and keep the context open. */
    @Test
    void aClosedChannelMakesNoId() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final CmEventChannel channel = world.client.context.createEventChannel();
            channel.createId(CmPortSpace.TCP, null).close();
            channel.close();
            refusesIds(channel);
        }
    }

    private static void refusesIds(final CmEventChannel channel) {
        assertThatThrownBy(() -> channel.createId(CmPortSpace.TCP, null))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    /** The other context of the device is open, and so is the device. */
    @Test
    void channelsGoWithTheirContext() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final Context context = world.client.device.open();
            final CmEventChannel channel = context.createEventChannel();
            final CompletionChannel completions = context.createCompChannel();
            final FutureTask<@Nullable Object> event = waiter(() -> channel.getEvent(Long.MAX_VALUE));
            final FutureTask<@Nullable Object> completion = waiter(() -> completions.getCqEvent(Long.MAX_VALUE));
            context.close();
            assertThat(event.get(60, TimeUnit.SECONDS)).isNull();
            assertThat(completion.get(60, TimeUnit.SECONDS)).isNull();
            refusesIds(channel);
            world.client.channel.createId(CmPortSpace.TCP, null).close();
        }
    }

    private static FutureTask<@Nullable Object> waiter(final Callable<@Nullable Object> wait) {
        final FutureTask<@Nullable Object> task = new FutureTask<>(wait);
        Thread.ofPlatform().daemon().start(task);
        return task;
    }
}
