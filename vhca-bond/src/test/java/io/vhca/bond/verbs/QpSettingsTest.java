package io.vhca.bond.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AhAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.ServiceClass;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmId;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.TwoBonds;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class QpSettingsTest {
    private static final Gid PEER = Gid.of(InetAddress.ofLiteral("10.1.0.2"));

    private static QpAttributes toRtr() {
        return new QpAttributes()
                .qpState(QpState.RTR)
                .ah(AhAttributes.to(PEER))
                .pathMtu(Mtu.MTU_1024)
                .destQpNum(0xFF_FFFF)
                .rqPsn(1)
                .maxDestRdAtomic(1)
                .minRnrTimer(12);
    }

    private static void expectRefused(
            final AppEnd end, final UnaryOperator<QpAttributes> mistake, final String words) {
        assertThatThrownBy(() -> end.qp().modify(mistake.apply(toRtr())))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContainingAll("modifyQp", words);
        assertThat(end.qp().state()).isEqualTo(QpState.INIT);
    }

    /** Every device refuses them. Later they would be a recovery that finds no peer. */
    @Test
    void aPeerThatNoDeviceCouldReachIsRefusedByName() {
        try (TwoBonds bonds = new TwoBonds();
                AppEnd end = new AppEnd(bonds.a)) {
            end.alone();
            end.toInit();
            expectRefused(end, to -> to.ah(AhAttributes.to(new Gid(0, 0))), "destination");
            expectRefused(
                    end, to -> to.ah(AhAttributes.to(Gid.of(InetAddress.ofLiteral("0.0.0.0")))), "destination");
            expectRefused(end, to -> to.ah(new AhAttributes(PEER, 1, 0, 0, 1)), "GID index 1");
            expectRefused(end, to -> to.ah(new AhAttributes(PEER, 0, 0, 0, 2)), "port 2");
            // With these a failover could not make the next physical queue pair.
            expectRefused(end, to -> to.ah(new AhAttributes(PEER, 0, 0, -72, 1)), "traffic_class is -72");
            expectRefused(end, to -> to.ah(new AhAttributes(PEER, 0, 0, 256, 1)), "traffic_class is 256");
            expectRefused(end, to -> to.ah(new AhAttributes(PEER, 0, 256, 0, 1)), "hop_limit is 256");
            expectRefused(end, to -> to.ah(new AhAttributes(PEER, 0, 0, 0, 1, 16)), "sl is 16");
            expectRefused(end, to -> to.destQpNum(1 << 24), "dest_qp_num");
            expectRefused(end, to -> to.destQpNum(-1), "dest_qp_num");
            expectRefused(end, to -> to.pathMtu(Mtu.UNKNOWN), "path_mtu");
            end.qp().modify(toRtr());
            assertThat(end.qp().state()).isEqualTo(QpState.RTR);
        }
    }

    /** Whoever takes it to make a vAH, or looks the GID up, does so at the bond. */
    @Test
    void theAddressVectorThatAQueryTellsIsOfTheBondsOwnPort() {
        final QueuePair physical = (QueuePair) Proxy.newProxyInstance(
                QueuePair.class.getClassLoader(),
                new Class<?>[] {QueuePair.class},
                (proxy, method, arguments) -> new QpAttributes()
                        .qpState(QpState.RTS)
                        .ah(new AhAttributes(PEER, 3, 64, 0x6a, 2, 5))
                        .destQpNum(17));
        final QpAttributes told = new QpSettings(new BondCounters()).query(QpState.RTS, physical, 0x4000);
        assertThat(told.ah()).isEqualTo(new AhAttributes(PEER, 0, 64, 0x6a, 1, 5));
        assertThat(told.destQpNum()).isEqualTo(0x4000);
    }

    @Test
    void whatALifeInheritedFromItsPeerIsNotTheNextOnes() {
        final ServiceClass ofPeer = new ServiceClass(0x6a, 3, 9);
        final CmId physical = (CmId) Proxy.newProxyInstance(
                CmId.class.getClassLoader(), new Class<?>[] {CmId.class}, (proxy, method, arguments) -> ofPeer);
        final QpSettings settings = new QpSettings(new BondCounters());
        settings.prepare(physical);
        assertThat(settings.serviceClass()).isEqualTo(ofPeer);
        settings.clear();
        assertThat(settings.serviceClass()).isEqualTo(ServiceClass.NONE);
    }
}
