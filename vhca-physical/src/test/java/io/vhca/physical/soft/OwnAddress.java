package io.vhca.physical.soft;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Addresses of the loopback that this process alone uses, so that other processes' devices do not collide with its. */
public final class OwnAddress {
    private OwnAddress() {}

    /** @param last of its four bytes; a test class has its own */
    public static InetAddress of(final int last) throws UnknownHostException {
        final int pid = (int) ProcessHandle.current().pid();
        return InetAddress.getByAddress(new byte[] {127, (byte) (64 + (pid >> 8 & 63)), (byte) pid, (byte) last});
    }
}
