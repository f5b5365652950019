package io.vhca.physical.soft.cm;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.ProtectionDomain;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class IdQueuePairTest {
    /** The world's close fails where something is left that uses the domain. */
    @Test
    void aDeviceThatDiesWhileAQueuePairIsMadeLeavesNone() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final CmId id = world.client.channel.createId(CmPortSpace.TCP, null);
            id.resolveAddr(null, world.server.address, 1000);
            id.resolveRoute(1000);
            final ProtectionDomain dying = (ProtectionDomain) Proxy.newProxyInstance(
                    ProtectionDomain.class.getClassLoader(), new Class<?>[] {ProtectionDomain.class},
                    (proxy, method, arguments) -> {
                        try {
                            final Object made = method.invoke(world.client.pd, arguments);
                            if (method.getName().equals("createQp")) {
                                world.client.device.kill();
                            }
                            return made;
                        } catch (final InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
            assertThatThrownBy(() -> id.createQp(dying, world.client.qp())).isInstanceOf(VerbsException.class);
            id.close();
            world.client.pd.close();
        }
    }
}
