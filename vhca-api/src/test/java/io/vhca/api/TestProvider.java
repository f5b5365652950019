package io.vhca.api;

import java.util.List;

/** A provider with one device that cannot be opened. */
public class TestProvider implements DeviceProvider {
    @Override
    public String name() {
        return "test";
    }

    @Override
    public List<Device> devices() {
        return List.of(new Device() {
            @Override
            public String name() {
                return "test0";
            }

            @Override
            public long nodeGuid() {
                return 1;
            }

            @Override
            public NodeType nodeType() {
                return NodeType.CA;
            }

            @Override
            public Context open() {
                throw new VerbsException("openDevice", Errno.EIO, "test0", "a test device has nothing behind it");
            }
        });
    }

    @Override
    public String unavailableReason() {
        return "";
    }

    /** A provider that has none, and says why. */
    public static final class Empty extends TestProvider {
        @Override
        public String name() {
            return "empty";
        }

        @Override
        public List<Device> devices() {
            return List.of();
        }

        @Override
        public String unavailableReason() {
            return "install the library";
        }
    }
}
