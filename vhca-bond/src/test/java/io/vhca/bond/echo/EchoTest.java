package io.vhca.bond.echo;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.ServiceClass;
import io.vhca.bond.wire.EchoDescriptor;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EchoTest {
    private static final InetAddress ASKER = InetAddress.ofLiteral("10.1.0.1");

    private static byte[] bytes(final Echo echo) {
        final byte[] data = new byte[EchoDescriptor.SIZE];
        Arrays.fill(data, (byte) 0x55);
        echo.encode(ByteBuffer.wrap(data));
        return data;
    }

    @ParameterizedTest
    @CsvSource({"-1, -1, -1", "255, 15, 255", "96, -1, 1", "-1, 3, -1"})
    void isReadAsItWasWritten(final int trafficClass, final int serviceLevel, final int hopLimit) {
        final ServiceClass service = new ServiceClass(trafficClass, serviceLevel, hopLimit);
        final Echo question = new Echo(EchoDescriptor.QUESTION, service, -5, ASKER);
        assertThat(Echo.decode(ByteBuffer.wrap(bytes(question)))).isEqualTo(question);
        assertThat(Echo.decode(ByteBuffer.wrap(bytes(question.answer()))))
                .isEqualTo(new Echo(EchoDescriptor.ANSWER, service, -5, ASKER));
    }

    @Test
    void anOlderBondsHasNoClass() {
        final byte[] data = bytes(new Echo(EchoDescriptor.QUESTION, ServiceClass.ofTos(0x60), 7, ASKER));
        Arrays.fill(data, EchoDescriptor.KIND_OFFSET + 1, EchoDescriptor.NONCE_OFFSET, (byte) 0);
        assertThat(Echo.decode(ByteBuffer.wrap(data)).service()).isEqualTo(ServiceClass.NONE);
    }

    /** Anybody may send one. */
    @Test
    void whateverComesIsAClassThatAnAddressVectorTakes() {
        final byte[] data = new byte[EchoDescriptor.SIZE];
        Arrays.fill(data, (byte) 0xFF);
        assertThat(Echo.decode(ByteBuffer.wrap(data)).service()).isEqualTo(new ServiceClass(255, 15, 255));
    }
}
