package io.vhca.rdp.shared;

/** One of the two that share memory. */
enum SharedEnd {
    DRIVER(RegionDescriptor.DRIVER_SLEEPS_OFFSET),
    CLIENT(RegionDescriptor.CLIENT_SLEEPS_OFFSET);

    private final int sleepsOffset;

    SharedEnd(final int sleepsOffset) {
        this.sleepsOffset = sleepsOffset;
    }

    int sleepsOffset() {
        return sleepsOffset;
    }
}
