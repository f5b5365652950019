package io.vhca.recovery.wire;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One member of a bond as the peer needs to know it: its index and its IP address (4 or 16 bytes, network order). */
public final class MemberAddress {
    private final int member;
    private final byte[] address;

    /**
     * Throws IllegalArgumentException where the index is not 0 to 255 or the address not 4 or 16 bytes long. The array
     * is copied.
     */
    public MemberAddress(final int member, final byte[] address) {
        if (member < 0 || member > 255 || address.length != 4 && address.length != 16) {
            throw new IllegalArgumentException("member " + member + " with an address of " + address.length + " bytes");
        }
        this.member = member;
        this.address = address.clone();
    }

    /** Index of the member in its own bond. */
    public int member() {
        return member;
    }

    /** A copy of the address. */
    public byte[] address() {
        return address.clone();
    }

    /** The address for the JDK's own use. */
    public InetAddress inetAddress() {
        try {
            return InetAddress.getByAddress(address);
        } catch (final UnknownHostException e) {
            throw new IllegalStateException("length was checked in the constructor", e);
        }
    }

    int addressLength() {
        return address.length;
    }

    @Override
    public boolean equals(final @Nullable Object other) {
        return other instanceof MemberAddress that && member == that.member && Arrays.equals(address, that.address);
    }

    @Override
    public int hashCode() {
        return Objects.hash(member, Arrays.hashCode(address));
    }

    @Override
    public String toString() {
        return member + "=" + inetAddress().getHostAddress();
    }
}
