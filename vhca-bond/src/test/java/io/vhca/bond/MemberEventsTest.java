package io.vhca.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.MemberStatus;
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

    /** Both ports of an adapter are one device, the member is the first one. */
    @Test
    void whatAnotherPortOfTheDeviceSaysIsNotTheMembers() {
        try (TwoBonds bonds = new TwoBonds()) {
            bonds.a.device(0).say(AsyncEvent.ofPort(AsyncEventType.PORT_ERR, 2));
            bonds.settle();
            assertThat(first(bonds).failures()).isZero();
            bonds.a.device(0).port(false);
            bonds.settle();
            assertThat(first(bonds).up()).isFalse();
            bonds.a.device(0).say(AsyncEvent.ofPort(AsyncEventType.PORT_ACTIVE, 2));
            bonds.settle();
            assertThat(first(bonds).up()).isFalse();
            assertThat(first(bonds).failures()).isEqualTo(1);
        }
    }

    private static MemberStatus first(final TwoBonds bonds) {
        return bonds.a.context().admin().members().getFirst();
    }
}
