package io.vhca.rdp.shared;

import io.vhca.rdp.Drivers;
import io.vhca.rdp.RdpDriver;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Drivers over soft devices that other processes may attach to, in a directory of their own. */
final class SharedDrivers implements AutoCloseable {
    private static final String STATUS = "vhca.status.dir";

    private final Drivers drivers = new Drivers();
    private final List<Runnable> closes = new ArrayList<>();

    SharedDrivers(final Path directory) {
        System.setProperty(AttachPath.PROPERTY, directory.toString());
        System.setProperty(STATUS, directory.toString());
    }

    RdpDriver open(final int last) {
        return drivers.open(last);
    }

    Drivers drivers() {
        return drivers;
    }

    SharedServer serve(final RdpDriver driver) {
        final SharedServer server = SharedServer.open(driver);
        closes.add(server::close);
        return server;
    }

    SharedDriver attach(final RdpDriver driver) {
        final SharedDriver client = SharedDriver.attach(driver.name());
        closes.add(client::close);
        return client;
    }

    @Override
    public void close() {
        for (int i = closes.size() - 1; i >= 0; i--) {
            closes.get(i).run();
        }
        drivers.close();
        System.clearProperty(AttachPath.PROPERTY);
        System.clearProperty(STATUS);
    }
}
