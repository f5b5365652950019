package io.vhca.rdp;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.Devices;
import io.vhca.api.VerbsException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** A device that sockets can use. */
public record RdpInterface(String device, InetAddress address) {
    /** The devices of this host that a driver can be opened on, each with the address that its sockets have. */
    public static List<RdpInterface> all() {
        final List<RdpInterface> usable = new ArrayList<>();
        for (final Device device : Devices.list()) {
            try (Context context = device.open()) {
                usable.add(new RdpInterface(device.name(), context.ipGid(1).address()));
            } catch (final VerbsException e) {
                // A device that cannot be opened is none that sockets can use: SIOCGIFCONF leaves such out.
                assert e.errno() > 0;
            }
        }
        return usable;
    }
}
