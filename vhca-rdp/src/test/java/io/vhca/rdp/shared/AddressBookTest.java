package io.vhca.rdp.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Who names addresses chooses them, also such as are told apart by nothing but all of their bytes. */
class AddressBookTest {
    private static final int MANY = 1 << 16;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[2 * Integer.BYTES + 16]);
    private final AddressBook book = new AddressBook();

    private InetSocketAddress again(final String literal, final int port) {
        new AddressBook().write(buffer, 0, new InetSocketAddress(InetAddress.ofLiteral(literal), port));
        return book.read(buffer, 0);
    }

    @Test
    void oneObjectStandsForAllOfOneAddressAndPort() {
        for (final String literal : List.of("10.0.0.1", "0.0.0.1", "::1", "fe80::1", "fe80:0:0:1::", "1::fe80")) {
            for (final int port : new int[] {1, 0xFFFF}) {
                final InetSocketAddress first = again(literal, port);
                assertThat(first).isEqualTo(new InetSocketAddress(InetAddress.ofLiteral(literal), port));
                assertThat(again("10.0.0.2", port)).isNotEqualTo(first);
                assertThat(again(literal, port)).isSameAs(first);
            }
        }
    }

    /** The JDK's hash of an address of sixteen bytes is the sum of its four words. */
    @Test
    void addressesThatHaveOneHashInTheJdkHaveMany() {
        final AddressBook.Key[] keys = new AddressBook.Key[MANY];
        final Set<Integer> hashes = new HashSet<>();
        for (int i = 0; i < MANY; i++) {
            keys[i] = new AddressBook.Key().set((long) i << Integer.SIZE | MANY - i, 7, 16 << Short.SIZE | 4000);
            hashes.add(keys[i].hashCode());
        }
        assertThat(hashes).hasSizeGreaterThan(MANY - MANY / 100);
        assertThat(new TreeSet<>(Arrays.asList(keys))).as("in an order, where hashes are the same").hasSize(MANY);
        assertThat(keys[1].copy()).isEqualTo(keys[1]).isNotEqualTo(keys[2]);
    }
}
