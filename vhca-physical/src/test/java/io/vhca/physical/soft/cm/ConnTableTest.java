package io.vhca.physical.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.physical.soft.cm.message.ConnInput;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every state meets every input: the table answers as the protocol's rules say. */
class ConnTableTest {
    /** States in which a timer runs. */
    private static final Set<ConnState> TIMED = EnumSet.of(
            ConnState.REQ_SENT,
            ConnState.REP_SENT,
            ConnState.ESTABLISHED,
            ConnState.DREQ_SENT,
            ConnState.REJ_SENT,
            ConnState.TIMEWAIT,
            ConnState.SIDR_REQ_SENT,
            ConnState.SIDR_REP_SENT);
    /** States in which a message of this side is repeated: it waits for an answer, or is an RTU. */
    private static final Set<ConnState> ASKING = EnumSet.of(
            ConnState.REQ_SENT,
            ConnState.REP_SENT,
            ConnState.ESTABLISHED,
            ConnState.DREQ_SENT,
            ConnState.SIDR_REQ_SENT);
    private static final Set<ConnState> DATAGRAM =
            EnumSet.of(ConnState.SIDR_REQ_SENT, ConnState.SIDR_REQ_RCVD, ConnState.SIDR_REP_SENT);

    @Test
    void timersRunOutExactlyWhereTheyRun() {
        for (final ConnState state : ConnState.values()) {
            final ConnStep step = ConnTable.step(state, ConnInput.TIMEOUT);
            if (ASKING.contains(state)) {
                assertThat(step).as("%s", state).isEqualTo(ConnStep.RETRY);
            } else if (state == ConnState.REP_RCVD) {
                assertThat(step).isEqualTo(ConnStep.SEND_MRA);
            } else {
                assertThat(step).as("%s", state).isEqualTo(TIMED.contains(state) ? ConnStep.EXPIRE : ConnStep.IGNORE);
            }
        }
    }

    @Test
    void aDisconnectIsAnsweredInEveryStateThatKnowsThePeer() {
        for (final ConnState state : ConnState.values()) {
            final boolean isKnown =
                    state != ConnState.REQ_SENT && state != ConnState.CLOSED && !DATAGRAM.contains(state);
            assertThat(ConnTable.step(state, ConnInput.DREQ) != ConnStep.IGNORE)
                    .as("%s", state)
                    .isEqualTo(isKnown);
        }
    }

    @Test
    void connectionsAndDatagramsDoNotMix() {
        for (final ConnState state : ConnState.values()) {
            for (final ConnInput input : ConnInput.values()) {
                final boolean isSidr = input == ConnInput.SIDR_REQ || input == ConnInput.SIDR_REP;
                if (input != ConnInput.TIMEOUT && isSidr != DATAGRAM.contains(state)) {
                    assertThat(ConnTable.step(state, input)).as("%s %s", state, input).isEqualTo(ConnStep.IGNORE);
                }
            }
        }
    }

    @Test
    void onlyAWaitingSideCanBeEstablished() {
        for (final ConnState state : ConnState.values()) {
            for (final ConnInput input : ConnInput.values()) {
                final ConnStep step = ConnTable.step(state, input);
                if (step == ConnStep.ESTABLISH) {
                    assertThat(state).isEqualTo(ConnState.REP_SENT);
                }
                if (step == ConnStep.REP_ARRIVED) {
                    assertThat(state).isEqualTo(ConnState.REQ_SENT);
                }
            }
        }
    }

    @Test
    void aRefusalIsSaidAgainToWhoDoesNotKnowOfIt() {
        for (final ConnInput input : EnumSet.of(ConnInput.REQ, ConnInput.REP, ConnInput.RTU)) {
            assertThat(ConnTable.step(ConnState.REJ_SENT, input)).as("%s", input).isEqualTo(ConnStep.RESEND);
        }
    }

    @Test
    void nothingHappensToWhatIsGone() {
        for (final ConnInput input : ConnInput.values()) {
            assertThat(ConnTable.step(ConnState.CLOSED, input)).isEqualTo(ConnStep.IGNORE);
        }
    }
}
