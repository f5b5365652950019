package io.vhca.bond;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.DeviceProvider;
import io.vhca.api.Errno;
import io.vhca.api.NodeType;
import io.vhca.api.VerbsException;
import io.vhca.bond.fake.FakeFabric;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/**
 * Devices fake0 and fake1, whose contexts close but can do nothing else, fakebad, which cannot be opened, fakeerror,
 * where that ends in an Error, fakebusy, whose context says EBUSY when it is closed, and fakevf0 and fakevf1, which
 * have no node GUID, and faketwin0 and faketwin1, which have one. Of able0, able1 and able2 a bond can be made, and of
 * abletwin0 and abletwin1, which have one node GUID; a test may give these other names.
 */
public final class FakeProvider implements DeviceProvider {
    /** What was opened and closed, in order. */
    static final List<String> LOG = new ArrayList<>();

    private static final FakeFabric FABRIC = new FakeFabric();
    private static final io.vhca.bond.fake.FakeDevice TWIN = FABRIC.device("abletwin0", "10.4.0.1");
    private static final List<io.vhca.bond.fake.FakeDevice> ABLE = List.of(
            FABRIC.device("able0", "10.1.0.1"),
            FABRIC.device("able1", "10.2.0.1"),
            FABRIC.device("able2", "10.3.0.1"),
            TWIN,
            FABRIC.device("abletwin1", "10.5.0.1").attributes(TWIN.attributes()));

    /** Gives one of those another name. */
    static void rename(final String from, final String to) {
        for (final io.vhca.bond.fake.FakeDevice able : ABLE) {
            if (able.name().equals(from)) {
                able.name(to);
            }
        }
    }

    record FakeDevice(String name) implements Device {
        @Override
        public long nodeGuid() {
            return name.startsWith("fakevf") ? 0 : name.startsWith("faketwin") ? 7 : name.hashCode();
        }

        @Override
        public NodeType nodeType() {
            return NodeType.CA;
        }

        @Override
        public Context open() {
            if (name.equals("fakebad")) {
                throw new VerbsException("openDevice", Errno.EIO, name, "it is broken");
            }
            if (name.equals("fakeerror")) {
                throw new InternalError("planted");
            }
            LOG.add("open " + name);
            return (Context) Proxy.newProxyInstance(
                    Context.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, arguments) -> {
                        switch (method.getName()) {
                            case "close" -> {
                                LOG.add("close " + name);
                                if (name.equals("fakebusy")) {
                                    throw new VerbsException("closeDevice", Errno.EBUSY, name, "something is open");
                                }
                            }
                            case "device" -> {
                                return this;
                            }
                            default -> throw new VerbsException(method.getName(), Errno.EIO, name, "a fake cannot");
                        }
                        return null;
                    });
        }
    }

    @Override
    public String name() {
        return "fake";
    }

    @Override
    public List<Device> devices() {
        final List<Device> devices = new ArrayList<>(List.of(
                new FakeDevice("fake0"),
                new FakeDevice("fake1"),
                new FakeDevice("fakebad"),
                new FakeDevice("fakeerror"),
                new FakeDevice("fakebusy"),
                new FakeDevice("fakevf0"),
                new FakeDevice("fakevf1"),
                new FakeDevice("faketwin0"),
                new FakeDevice("faketwin1")));
        devices.addAll(ABLE);
        return devices;
    }

    @Override
    public String unavailableReason() {
        return "";
    }
}
