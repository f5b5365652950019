package io.vhca.rdp.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Options: each is read by its name, and a wrong one is named with what it may be. */
class RdpConfigTest {
    @Test
    void nothingGivenIsTheDefault() {
        assertThat(RdpConfigParser.parse(Map.of())).isEqualTo(RdpConfig.DEFAULT);
    }

    @ParameterizedTest
    @EnumSource(RdpOption.class)
    void everyOptionIsReadByItsName(final RdpOption option) {
        final String value = switch (option) {
            case SIZE_CLASSES -> "1024,65536";
            case PENDING_RX_PKTS_HWM, DATA_RECV_BUFFER_LWM -> "60";
            default -> "1234";
        };
        assertThat(option.of(RdpConfigParser.parse(Map.of(option.label(), value)))).isEqualTo(value);
    }

    @Test
    void minRecoveryFollowsTheHeartbeat() {
        assertThat(RdpConfigParser.parse(Map.of("Heartbeat", "50")).minRecoveryNs()).isEqualTo(100_000_000);
    }

    @Test
    void allThatIsWrongIsSaidAtOnce() {
        final Map<String, String> wrong = new LinkedHashMap<>();
        wrong.put("Hartbeat", "1");
        wrong.put("Port", "many");
        wrong.put("MaxNodes", "-1");
        assertThatThrownBy(() -> RdpConfigParser.parse(wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown option Hartbeat; there are SizeClasses, ")
                .hasMessageContaining("option Port = many: it may be a whole number")
                .hasMessageContaining("option MaxNodes = -1: ");
    }

    @ParameterizedTest
    @CsvSource({
        "MaxCtrlSendBuffers,MaxCtrlRecvBuffers", "MinRnrTimer,credits", "PerfCounters,vhca rdp stats",
        "DebugLevel,System.Logger", "TraceLevel,vhca trace set"
    })
    void whatOnlyRdsHasIsRefusedWithTheReason(final String name, final String reason) {
        assertThatThrownBy(() -> RdpConfigParser.parse(Map.of(name, "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("there is no " + name + ", which RDS has: ")
                .hasMessageContaining(reason);
        assertThatThrownBy(() -> RdpConfigParser.change(RdpConfig.DEFAULT, name + "=1"))
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "SizeClasses|512,1000|powers of two from 256 to 16777216, ascending",
        "SizeClasses|8192,512|powers of two from 256 to 16777216, ascending",
        "SizeClasses|512,33554432|powers of two from 256 to 16777216, ascending",
        "MaxDataRecvBuffers|1|2 .. 4096",
        "MaxCtrlRecvBuffers|3|4 .. 4096",
        "DataRecvBufferLWM|80|below PendingRxPktsHWM, which is 75",
        "Heartbeat|60000|less than NodeTimeout",
        "Port|65536|1 .. 65535",
        "MaxNodes|0|1 .. 32767"
    })
    void aValueThatCannotBeIsNamed(final String name, final String value, final String allowed) {
        assertThatThrownBy(() -> RdpConfigParser.parse(Map.of(name, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("option " + name + " = ")
                .hasMessageContaining(allowed);
    }

    @ParameterizedTest
    @EnumSource(RdpOption.class)
    void anOptionChangesOrSaysWhyNot(final RdpOption option) {
        final String value = option == RdpOption.SIZE_CLASSES ? "1024" : "31";
        final String assignment = option.label() + "=" + value;
        if (option.isLive()) {
            final RdpConfig next =
                    RdpConfigParser.change(RdpConfig.DEFAULT, assignment.replace("Timeout=31", "Timeout=3100"));
            for (final RdpOption other : RdpOption.values()) {
                assertThat(other.of(next).startsWith("31")).as(other.label()).isEqualTo(other == option);
                assertThat(other == option || other.of(next).equals(other.of(RdpConfig.DEFAULT))).isTrue();
            }
        } else {
            assertThatThrownBy(() -> RdpConfigParser.change(RdpConfig.DEFAULT, assignment))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(option.label() + " does not change while a driver is open: "
                            + option.fixedBecause());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "Heartbeat      | Heartbeat is not NAME=VALUE",
        "=5             | =5 is not NAME=VALUE",
        "Hartbeat=5     | unknown option Hartbeat",
        "Heartbeat=soon | option Heartbeat = soon: it may be a whole number",
        "DataRecvBufferLWM=80 | below PendingRxPktsHWM, which is 75"
    })
    void aWrongChangeIsNamed(final String assignment, final String message) {
        assertThatThrownBy(() -> RdpConfigParser.change(RdpConfig.DEFAULT, assignment))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aDatagramMayBeAsLongAsHalfOfTheCreditsCarry() {
        assertThat(RdpConfig.DEFAULT.longestMessage()).isEqualTo(256 << 10);
        assertThat(RdpConfigParser.parse(Map.of("MaxDataRecvBuffers", "4")).longestMessage()).isEqualTo(2 * 32_768);
        assertThat(RdpConfig.DEFAULT.sizeClasses()).isEqualTo(List.of(512, 8_192, 32_768));
    }

    /** One that is counted as fewer messages than it fills is sent in part, and nobody hears of it. */
    @Test
    void theLongestDatagramThatCanBeIsCountedInMessages() {
        final RdpConfig config = RdpConfigParser.parse(Map.of(
                "SizeClasses", "512,8192,16777216", "MaxDataRecvBuffers", "256",
                "MaxRecvMemory", "8589934592",
                "MaxMessageSize", "2147483647", "UserBufferSize", "2147483647"));
        assertThat(config.longestMessage()).isEqualTo(Integer.MAX_VALUE);
        assertThat(config.messagesOf(Integer.MAX_VALUE)).isEqualTo(128);
        assertThat(config.messagesOf((127 << 24) + 1)).isEqualTo(128);
        assertThat(config.messagesOf(127 << 24)).isEqualTo(127);
        assertThat(config.messagesOf(0)).isOne();
        assertThat(config.messagesOf(1)).isOne();
    }
}
