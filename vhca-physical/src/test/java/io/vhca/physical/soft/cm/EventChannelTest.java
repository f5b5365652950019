package io.vhca.physical.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmPortSpace;
import org.junit.jupiter.api.Test;

class EventChannelTest {
    /** Its id would never hear anything, and keep the context open. */
    @Test
    void aClosedChannelMakesNoId() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final CmEventChannel channel = world.client.context.createEventChannel();
            channel.createId(CmPortSpace.TCP, null).close();
            channel.close();
            assertThatThrownBy(() -> channel.createId(CmPortSpace.TCP, null))
                    .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        }
    }
}
