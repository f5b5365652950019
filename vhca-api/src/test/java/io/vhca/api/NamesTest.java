package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.cm.CmEventType;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Codes, names and texts: what users read and what C agrees with. */
class NamesTest {
    @Test
    void everyConstantComesBackFromItsCode() {
        final List<String> wrong = new ArrayList<>();
        for (final WcStatus value : WcStatus.values()) {
            check(wrong, value, WcStatus.fromCode(value.code()));
        }
        for (final WcOpcode value : WcOpcode.values()) {
            check(wrong, value, WcOpcode.fromCode(value.code()));
        }
        for (final WrOpcode value : WrOpcode.values()) {
            check(wrong, value, WrOpcode.fromCode(value.code()));
        }
        for (final AsyncEventType value : AsyncEventType.values()) {
            check(wrong, value, AsyncEventType.fromCode(value.code()));
        }
        for (final QpState value : QpState.values()) {
            check(wrong, value, QpState.fromCode(value.code()));
        }
        for (final Mtu value : Mtu.values()) {
            check(wrong, value, Mtu.fromCode(value.code()));
        }
        for (final CmEventType value : CmEventType.values()) {
            check(wrong, value, CmEventType.fromCode(value.code()));
        }
        assertThat(wrong).isEmpty();
        assertThat(WcStatus.fromCode(99)).isEqualTo(WcStatus.UNKNOWN);
        assertThat(WcStatus.fromCode(-7)).isEqualTo(WcStatus.UNKNOWN);
        assertThat(WcStatus.RETRY_EXC_ERR.code()).isEqualTo(12);
        assertThat(AsyncEventType.GID_CHANGE.code()).isEqualTo(18);
    }

    private static void check(final List<String> wrong, final Object value, final Object back) {
        if (value != back) {
            wrong.add(value + " came back as " + back);
        }
    }

    @Test
    void messagesConsumeReceives() {
        for (final WrOpcode opcode : WrOpcode.values()) {
            final boolean message = switch (opcode) {
                case SEND, SEND_WITH_IMM, SEND_WITH_INV, RDMA_WRITE_WITH_IMM -> true;
                default -> false;
            };
            assertThat(WrOpcode.consumesReceive(opcode.code())).as(opcode.toString()).isEqualTo(message);
        }
    }

    @Test
    void mtusRoundDown() {
        assertThat(Mtu.MTU_4096.bytes()).isEqualTo(4096);
        assertThat(Mtu.atMost(1500)).isEqualTo(Mtu.MTU_1024);
        assertThat(Mtu.atMost(65_536)).isEqualTo(Mtu.MTU_4096);
        assertThat(Mtu.atMost(1)).isEqualTo(Mtu.MTU_256);
    }

    @Test
    void aGidIsAnAddressAndBack() {
        final InetAddress four = InetAddress.ofLiteral("10.1.2.3");
        final InetAddress six = InetAddress.ofLiteral("fe80::1:2");
        assertThat(Gid.of(four)).isEqualTo(new Gid(0, 0xffff_0a01_0203L)).hasToString("::ffff:10.1.2.3");
        assertThat(Gid.of(four).address()).isEqualTo(four);
        assertThat(Gid.of(six).address()).isEqualTo(six);
        assertThat(new Gid(0, 0).isZero()).isTrue();
    }

    @Test
    void anErrorSaysWhichVerbOnWhatAndWhy() {
        final VerbsException error = new VerbsException("createQp", Errno.EINVAL, "soft0 pd", "ask for less");
        assertThat(error).hasMessage("createQp on soft0 pd failed (EINVAL): ask for less");
        assertThat(error.errno()).isEqualTo(22);
        assertThat(Errno.name(-Errno.ENOMEM)).isEqualTo("ENOMEM");
        assertThat(Errno.name(12345)).isEqualTo("errno 12345");
    }

    @Test
    void everyErrnoHasItsName() throws IllegalAccessException {
        for (final Field field : Errno.class.getFields()) {
            assertThat(Errno.name(field.getInt(null))).isEqualTo(field.getName());
        }
    }

    /** Of a port without an IPv4 address, the first that peers can connect to; also where that is the very first. */
    @Test
    void theIndexOfThePortsAddressIsThatOfTheFirstThatPeersCanConnectTo() {
        final Gid linkLocal = Gid.of(InetAddress.ofLiteral("fe80::1"));
        final Gid global = Gid.of(InetAddress.ofLiteral("fd00::1"));
        final Gid other = Gid.of(InetAddress.ofLiteral("fd00::2"));
        final Gid four = Gid.of(InetAddress.ofLiteral("10.1.2.3"));
        assertThat(ipGidIndex(global, other)).isZero();
        assertThat(ipGidIndex(linkLocal, global, new Gid(0, 0), other)).isEqualTo(1);
        assertThat(ipGidIndex(global, other, four)).isEqualTo(2);
        assertThat(ipGidIndex(linkLocal, new Gid(0, 0))).isZero();
    }

    private static int ipGidIndex(final Gid... gids) {
        final Context context = (Context) Proxy.newProxyInstance(
                Context.class.getClassLoader(), new Class<?>[] {Context.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "queryPort" -> new PortAttributes(
                            PortState.ACTIVE, Mtu.MTU_1024, Mtu.MTU_1024, gids.length, 1, 1, 0, LinkLayer.ETHERNET, 0);
                    case "queryGid" -> gids[(Integer) arguments[1]];
                    default -> InvocationHandler.invokeDefault(proxy, method, arguments);
                });
        return context.ipGidIndex(1);
    }

    @Test
    void anUnknownDeviceIsAnsweredWithThoseThereAreAndWhatIsMissing() {
        assertThat(Devices.list()).extracting(Device::name).containsExactly("test0");
        assertThat(Devices.byName("test0").nodeType()).isEqualTo(NodeType.CA);
        assertThatThrownBy(() -> Devices.open("test9"))
                .isInstanceOf(VerbsException.class)
                .hasMessage("openDevice on test9 failed (ENODEV): no such device; there is test0, "
                        + "none of provider empty (install the library)");
    }

    @Test
    void attributesKnowWhichOfThemAreSet() {
        final QpAttributes base = new QpAttributes().qpState(QpState.INIT).portNum(1);
        assertThat(base.mask()).isEqualTo(QpAttrMask.STATE | QpAttrMask.PORT);
        final QpAttributes merged = new QpAttributes().portNum(9).qkey(5).merge(base);
        assertThat(merged.portNum()).isEqualTo(1);
        assertThat(merged.qkey()).isEqualTo(5);
        assertThat(merged.has(QpAttrMask.STATE | QpAttrMask.PORT | QpAttrMask.QKEY)).isTrue();
        assertThat(merged.has(QpAttrMask.AV)).isFalse();
    }

    @Test
    void whoHasNoDescriptorLeftIsToldWhatToRaise() {
        assertThat(Errno.name(24) + Errno.descriptorHint(24)).startsWith("EMFILE: ").contains("`ulimit -n`");
        assertThat(Errno.name(23) + Errno.descriptorHint(23)).startsWith("ENFILE: ").contains("fs.file-max");
        assertThat(Errno.descriptorHint(Errno.ENOMEM)).isEmpty();
    }
}
