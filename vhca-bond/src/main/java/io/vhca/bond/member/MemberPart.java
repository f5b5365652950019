package io.vhca.bond.member;

/**
 * A virtual object that has a physical one on every member. The virtual one stands for as long as the application keeps
 * it; the physical one comes and goes with its device. Control lock.
 *
 * <p>Parts are rebuilt in the order they were made and dropped in the opposite one, so that a part finds those that it
 * is built upon; those that are {@linkplain #isMadeAhead made ahead} come first and go last.
 */
public interface MemberPart {
    /**
     * The device is dead: destroys the physical object, where there is one. No queue pair is left on the member.
     *
     * @throws io.vhca.api.VerbsException when it cannot be destroyed yet; it is tried again then
     */
    void drop(Member member);

    /**
     * The device is back: makes the physical object anew.
     *
     * @throws io.vhca.api.VerbsException as the device says
     */
    void rebuild(Member member);

    /**
     * True where the physical object is the same whatever becomes of the virtual one while it stands: then it may be
     * made long before the member is alive, and is built upon others of the kind alone.
     */
    default boolean isMadeAhead() {
        return false;
    }

    /** Its port is active, and its address may be another one by now: what is bound to the one before is bound anew. */
    default void cameUp(final Member member) {}
}
