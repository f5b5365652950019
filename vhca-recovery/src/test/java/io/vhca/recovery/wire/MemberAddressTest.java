package io.vhca.recovery.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class MemberAddressTest {
    private static final byte[] FOUR = {10, 0, 0, 1};

    @Test
    void keepsItsOwnCopyOfTheBytes() throws Exception {
        final byte[] bytes = FOUR.clone();
        final MemberAddress member = new MemberAddress(3, bytes);
        bytes[3] = 9;
        member.address()[3] = 8;
        assertThat(member.address()).isEqualTo(FOUR);
        assertThat(member.inetAddress()).isEqualTo(InetAddress.getByName("10.0.0.1"));
        assertThat(member).hasToString("3=10.0.0.1");
    }

    @Test
    void isEqualByIndexAndBytes() {
        final MemberAddress member = new MemberAddress(3, FOUR);
        assertThat(member).isEqualTo(new MemberAddress(3, FOUR)).hasSameHashCodeAs(new MemberAddress(3, FOUR));
        assertThat(member).isNotEqualTo(new MemberAddress(4, FOUR)).isNotEqualTo(new MemberAddress(3, new byte[4]));
        assertThat(member.equals("3=10.0.0.1")).isFalse();
    }

    @Test
    void anIndexOrALengthThatNoRecordHoldsIsNamed() {
        assertThatThrownBy(() -> new MemberAddress(-1, FOUR)).hasMessageContaining("member -1");
        assertThatThrownBy(() -> new MemberAddress(256, FOUR)).hasMessageContaining("member 256");
        assertThatThrownBy(() -> new MemberAddress(0, new byte[5])).hasMessageContaining("5 bytes");
    }
}
