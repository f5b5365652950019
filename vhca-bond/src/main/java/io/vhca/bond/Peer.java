package io.vhca.bond;

import io.vhca.recovery.MemberAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Another bond, known by its instance id: where its members live and what their keys are. Control lock. */
final class Peer {
    private final long instance;
    private final RemoteKeys keys = new RemoteKeys();
    private final List<MemberAddress> members = new ArrayList<>();
    private @Nullable ControlLink control;

    Peer(final long instance) {
        this.instance = instance;
    }

    long instance() {
        return instance;
    }

    RemoteKeys keys() {
        return keys;
    }

    /** The peer's members as last heard. */
    List<MemberAddress> members() {
        return members;
    }

    /** Takes what the peer's bond says of its members; an index heard again replaces what was known. */
    void heard(final List<MemberAddress> list) {
        for (final MemberAddress heard : list) {
            members.removeIf(known -> known.member() == heard.member());
            members.add(heard);
        }
    }

    /** Learns one address from a REQ that came from it. */
    void heardFrom(final int member, final InetAddress address) {
        heard(List.of(new MemberAddress(member, address.getAddress())));
    }

    @Nullable ControlLink control() {
        return control;
    }

    void control(final @Nullable ControlLink link) {
        control = link;
    }
}
