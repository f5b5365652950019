package io.vhca.recovery;

/**
 * A path: one local member and one of the peer's addresses.
 *
 * @param localMember index of the member in the bond, or -1 where not known
 * @param remoteAddress index of the address in the peer's list, or -1 where not known
 */
public record PathId(int localMember, int remoteAddress) {
    /** No path, or one that nobody named. */
    public static final PathId NONE = new PathId(-1, -1);

    @Override
    public String toString() {
        return this.equals(NONE) ? "none" : localMember + "->" + remoteAddress;
    }
}
