package io.vhca.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.core.BondRuntime;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.fake.HandCore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BondConductorTest {
    private final BondRuntime core = HandCore.of(BondConfig.builder("bond0"));
    private final List<String> done = new ArrayList<>();
    private final BondConductor conductor =
            new BondConductor(core, List.of(part("one", 2, 500), part("two", 3, Long.MAX_VALUE), part("three", 0, 90)));

    @AfterEach
    void close() {
        core.close();
    }

    private DutyCycle part(final String name, final int work, final long deadlineNs) {
        return new DutyCycle() {
            @Override
            public int doWork(final long nowNs) {
                done.add(name + " " + nowNs);
                return work;
            }

            @Override
            public long nextDeadlineNs() {
                return deadlineNs;
            }
        };
    }

    @Test
    void whatWasPutOffComesFirstThenThePartsInTheirOrderThenWhoLooksOn() {
        core.events().observe(new BondObserver() {
            @Override
            public void onTurn(final long nowNs) {
                done.add("observer " + nowNs);
            }
        });
        core.later(nowNs -> done.add("put off"));
        assertThat(conductor.doWork(7)).isEqualTo(1 + 2 + 3);
        assertThat(done).containsExactly("put off", "one 7", "two 7", "three 7", "observer 7");
    }

    @Test
    void theNextTurnIsDueAtTheEarliestDeadlineOrAtOnceWhereSomethingWasPutOff() {
        core.beginTurn(5);
        assertThat(conductor.nextDeadlineNs()).isEqualTo(90);
        core.later(nowNs -> { });
        assertThat(conductor.nextDeadlineNs()).isEqualTo(5);
    }
}
