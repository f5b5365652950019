package io.vhca.physical.soft.fabric;

/**
 * Packet slots ordered by delivery time, first in first out among equals: a binary heap over arrays. Fixed capacity,
 * allocates nothing after construction.
 */
final class PacketHeap {
    private final long[] atNs;
    private final long[] order;
    private final int[] slots;
    private long nextOrder;
    private int size;

    PacketHeap(final int capacity) {
        atNs = new long[capacity];
        order = new long[capacity];
        slots = new int[capacity];
    }

    int size() {
        return size;
    }

    void clear() {
        size = 0;
        nextOrder = 0;
    }

    /** Delivery time of the first; only when {@link #size()} is positive. */
    long firstAtNs() {
        return atNs[0];
    }

    void push(final long deliverAtNs, final int slot) {
        final long ticket = nextOrder++;
        int hole = size++;
        while (hole > 0) {
            final int parent = hole - 1 >>> 1;
            if (!isBefore(deliverAtNs, ticket, parent)) {
                break;
            }
            move(parent, hole);
            hole = parent;
        }
        put(hole, deliverAtNs, ticket, slot);
    }

    /** Takes the first slot off. */
    int pop() {
        final int first = slots[0];
        final int last = --size;
        final long lastAtNs = atNs[last];
        final long lastOrder = order[last];
        int hole = 0;
        int child = 1;
        while (child < last) {
            if (child + 1 < last && isBefore(atNs[child + 1], order[child + 1], child)) {
                child++;
            }
            if (isBefore(lastAtNs, lastOrder, child)) {
                break;
            }
            move(child, hole);
            hole = child;
            child = 2 * hole + 1;
        }
        put(hole, lastAtNs, lastOrder, slots[last]);
        return first;
    }

    private boolean isBefore(final long leftAtNs, final long leftOrder, final int index) {
        final long difference = leftAtNs - atNs[index];
        return difference < 0 || difference == 0 && leftOrder < order[index];
    }

    private void move(final int from, final int to) {
        atNs[to] = atNs[from];
        order[to] = order[from];
        slots[to] = slots[from];
    }

    private void put(final int index, final long deliverAtNs, final long ticket, final int slot) {
        atNs[index] = deliverAtNs;
        order[index] = ticket;
        slots[index] = slot;
    }
}
