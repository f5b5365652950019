package io.vhca.rdp.verbs;

/**
 * What the driver puts into wr_id.
 *
 * <pre>
 *   63     56     40        24              0
 *   | pool | node | session | buffer's index |
 * </pre>
 */
final class WrIdDescriptor {
    private static final int POOL_SHIFT = 56;
    private static final int NODE_SHIFT = 40;
    private static final int SESSION_SHIFT = 24;
    private static final int NODE_MASK = 0xffff;
    static final int SESSION_MASK = 0xffff;
    private static final int INDEX_MASK = 0xff_ffff;

    private WrIdDescriptor() {}

    static long encode(final int pool, final int node, final int session, final int index) {
        assert index >= 0 && index <= INDEX_MASK;
        return (long) pool << POOL_SHIFT
                | (long) node << NODE_SHIFT
                | (long) (session & SESSION_MASK) << SESSION_SHIFT
                | index;
    }

    static int pool(final long wrId) {
        return (int) (wrId >>> POOL_SHIFT);
    }

    static int node(final long wrId) {
        return (int) (wrId >>> NODE_SHIFT) & NODE_MASK;
    }

    static int session(final long wrId) {
        return (int) (wrId >>> SESSION_SHIFT) & SESSION_MASK;
    }

    static int index(final long wrId) {
        return (int) wrId & INDEX_MASK;
    }
}
