package io.vhca.bond.member;

import io.vhca.api.CompletionChannel;
import org.jspecify.annotations.Nullable;

/** Which completion channel the CQ on each member is created with. Control lock. */
public interface MemberChannels {
    /** For queues of whose completions nobody is told. */
    MemberChannels NONE = new MemberChannels() {
        @Override
        public @Nullable CompletionChannel take(final Member member) {
            return null;
        }

        @Override
        public void give(final Member member) {
            // Nothing was taken.
        }
    };

    /** The channel on a member, or null where there is none. */
    @Nullable CompletionChannel take(Member member);

    /** The CQ that was created with it is destroyed, or was never made. */
    void give(Member member);
}
