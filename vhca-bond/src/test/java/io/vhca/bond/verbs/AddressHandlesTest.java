package io.vhca.bond.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Handles of vAHs. */
class AddressHandlesTest {
    /** Requests for a vAH whose handle is 0 would wait for ever: 0 says that nothing waits. */
    @Test
    void noHandleIsNoneHoweverManyCameBefore() {
        final AddressHandles handles = new AddressHandles(4);
        assertThat(handles.allocate("bond0")).isEqualTo(1L << 32);
        assertThat(AddressHandles.after(1)).isEqualTo(2);
        assertThat(AddressHandles.after(Integer.MAX_VALUE)).isEqualTo(Integer.MIN_VALUE);
        assertThat(AddressHandles.after(-1)).isOne();
    }
}
