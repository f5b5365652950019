package io.vhca.bond.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Requests for an event of a vCQ, one on top of another. */
class EventRequestTest {
    private final EventRequest request = new EventRequest();

    private boolean isDueForUnsolicited() {
        request.owed(0);
        return request.isDue(false);
    }

    @Test
    void aRequestForAllIsNotTakenBackByOneForSolicitedOnly() {
        request.arm(false);
        request.arm(true);
        assertThat(isDueForUnsolicited()).isTrue();
    }

    @Test
    void whatWasTakenIsNoMore() {
        request.arm(false);
        assertThat(request.take()).isTrue();
        request.arm(true);
        assertThat(isDueForUnsolicited()).isFalse();
        request.arm(false);
        assertThat(isDueForUnsolicited()).isTrue();
    }
}
