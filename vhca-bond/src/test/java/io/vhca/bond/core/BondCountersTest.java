package io.vhca.bond.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.trace.Trace;
import io.vhca.bond.trace.TraceLevels;
import io.vhca.recovery.Journal;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.RejectCode;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BondCountersTest {
    private final BondCounters counters = new BondCounters();

    @Test
    void eachCounterIsItsOwn() {
        for (final Counter counter : Counter.values()) {
            counters.add(counter, counter.ordinal() + 1);
        }
        for (final Counter counter : Counter.values()) {
            assertThat(counters.get(counter)).isEqualTo(counter.ordinal() + 1);
        }
    }

    /** What an observer is told from now on. */
    private List<Throwable> told() {
        final BondEvents events = new BondEvents("bond0", Journal.NONE, new Trace(TraceLevels.BY_DEFAULT), counters);
        final List<Throwable> told = new ArrayList<>();
        events.observe(new BondObserver() {
            @Override
            public void onError(final Counter kind, final Throwable one) {
                told.add(one);
            }
        });
        counters.tellErrors(events);
        return told;
    }

    @Test
    void anErrorIsCountedAndWhoLooksOnIsToldOfIt() {
        final RuntimeException error = new IllegalStateException("planted");
        counters.ignored(error);
        final List<Throwable> told = told();
        counters.ignored(error);
        counters.happened(Counter.DUTY_CYCLE_ERRORS, error);
        assertThat(told).containsExactly(error, error);
        assertThat(counters.get(Counter.MEMBER_ERRORS_IGNORED)).isEqualTo(2);
        assertThat(counters.get(Counter.DUTY_CYCLE_ERRORS)).isEqualTo(1);
    }

    @Test
    void aRefusalIsCountedEachTimeAndToldOnceAnAddressAndReason() {
        final List<Throwable> told = told();
        final InetAddress stranger = InetAddress.ofLiteral("10.9.9.9");
        for (int i = 0; i < 3; i++) {
            counters.refused(Counter.REQ_FORGED, stranger);
        }
        counters.refused(Counter.REQ_STRANGER, stranger);
        assertThat(counters.get(Counter.REQ_FORGED)).isEqualTo(3);
        assertThat(told)
                .extracting(Throwable::getMessage)
                .containsExactly(
                        "a request from 10.9.9.9 is refused: REQ_FORGED; it does not know the session of the queue"
                                + " pair that it is for",
                        "a request from 10.9.9.9 is refused: REQ_STRANGER; it is for the bonds' own connection, and"
                                + " no peer has a member there");
        for (int i = 0; i < 1_000; i++) {
            counters.refused(Counter.REQ_FORGED, InetAddress.ofLiteral("10.8." + i / 250 + "." + i % 250));
        }
        assertThat(told).as("whoever has many addresses fills no log").hasSize(64);
        assertThat(told).as("strangers choose how often it is told").allSatisfy(
                one -> assertThat(one.getStackTrace()).isEmpty());
        assertThat(counters.get(Counter.REQ_FORGED)).isEqualTo(1_003);
    }

    @ParameterizedTest
    @EnumSource(
            value = Counter.class,
            names = {"REQ_NO_PROOF", "REQ_BAD_PROOF", "REQ_REPLAYED", "REQ_NO_KEY", "REQ_FORGED", "REQ_NOT_NAMED",
                "REQ_STRANGER", "REQ_REPEATED", "ANSWER_BAD_PROOF"})
    void whatIsRefusedOrDroppedIsToldWithItsReason(final Counter why) {
        final List<Throwable> told = told();
        counters.refused(why, InetAddress.ofLiteral("10.9.9.9"));
        assertThat(told).singleElement().extracting(Throwable::getMessage).asString()
                .startsWith(why == Counter.ANSWER_BAD_PROOF
                        ? "an answer from 10.9.9.9 to a request of this bond is dropped: "
                        : "a request from 10.9.9.9 is refused: ")
                .contains(why + "; ");
    }

    @Test
    void aRecordOfAnotherVersionIsToldFromGarbage() {
        for (final DecodeResult result : DecodeResult.values()) {
            if (result != DecodeResult.OK) {
                final boolean isVersion = result == DecodeResult.BAD_VERSION;
                final long before = counters.get(isVersion ? Counter.REQ_BAD_VERSION : Counter.REQ_GARBAGE);
                counters.badRequest(result);
                assertThat(counters.get(isVersion ? Counter.REQ_BAD_VERSION : Counter.REQ_GARBAGE))
                        .isEqualTo(before + 1);
                assertThat(BondCounters.rejectCode(result))
                        .isEqualTo(isVersion ? RejectCode.BAD_VERSION : RejectCode.GARBAGE);
            }
        }
    }
}
