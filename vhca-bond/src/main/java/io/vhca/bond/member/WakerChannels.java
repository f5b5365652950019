package io.vhca.bond.member;

import io.vhca.api.CompletionChannel;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The channels of a vCQ of the bond's own: what completes on any member gives the bond a turn. Control lock. Owns its
 * shares of the members' wakers.
 */
public final class WakerChannels implements MemberChannels {
    private final Members members;
    private final Map<Member, CompletionWakers.Waker> taken = new HashMap<>();

    public WakerChannels(final Members members) {
        this.members = members;
    }

    @Override
    public @Nullable CompletionChannel take(final Member member) {
        assert !taken.containsKey(member) : "a member has one queue of a vCQ";
        final CompletionWakers.Waker waker = members.wakers().acquire(member);
        if (waker == null) {
            return null;
        }
        taken.put(member, waker);
        return waker.events();
    }

    @Override
    public void give(final Member member) {
        final CompletionWakers.Waker waker = taken.remove(member);
        if (waker != null) {
            waker.release();
        }
    }
}
