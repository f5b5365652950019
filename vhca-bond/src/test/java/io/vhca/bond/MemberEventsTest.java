package io.vhca.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.link.MemberListeners;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemberEventsTest {
    private static final int PORT = 9_000;

    @Test
    void aRequestThatAMemberHasNoMemoryForIsNotInTheWayOfTheNext() {
        final List<Integer> handled = new ArrayList<>();
        final MemberListeners.Target target = (link, data, parameters, nowNs) -> {
            handled.add((int) data[0]);
            if (data[0] == 1) {
                throw new VerbsException("regMr", Errno.ENOMEM, "b0", "there is no memory left");
            }
            link.rejectPlain(new byte[0]);
        };
        try (TwoBonds bonds = new TwoBonds();
                RawPeer raw = new RawPeer(bonds, "10.1.0.99")) {
            final List<MemberListeners> listeners = new ArrayList<>();
            bonds.b.locked(() -> {
                listeners.add(MemberListeners.bind(
                        bonds.b.verbs().core(), bonds.b.verbs().members(), target, CmPortSpace.TCP, PORT));
                listeners.getFirst().listen(8);
            });
            raw.ask("10.1.0.2", PORT, new byte[] {1});
            raw.ask("10.1.0.2", PORT, new byte[] {2});
            bonds.settle();
            assertThat(handled).as("each once").containsExactly(1, 2);
            assertThat(bonds.b.linksOn(0)).isEmpty();
            assertThat(bonds.b.count(Counter.MEMBER_ERRORS_IGNORED)).isEqualTo(1);
            raw.next(CmEventType.REJECTED);
            raw.next(CmEventType.REJECTED);
            bonds.b.locked(listeners.getFirst()::close);
        }
    }
}
