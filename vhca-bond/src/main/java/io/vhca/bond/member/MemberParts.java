package io.vhca.bond.member;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The virtual objects of a bond that have parts on its members, in the order they were made. Control lock. */
public final class MemberParts {
    private final Set<MemberPart> parts = new LinkedHashSet<>();

    public void add(final MemberPart part) {
        parts.add(part);
    }

    public void remove(final MemberPart part) {
        parts.remove(part);
    }

    /** Destroys what there is on a dead member. */
    public void drop(final Member member) {
        final List<MemberPart> newestFirst = new ArrayList<>(parts).reversed();
        newestFirst.forEach(part -> part.drop(member));
    }

    /**
     * Makes on a member what there is on the others.
     *
     * @throws io.vhca.api.VerbsException when one part cannot be made; those before it were
     */
    public void rebuild(final Member member) {
        parts.forEach(part -> part.rebuild(member));
    }
}
