package io.vhca.harness.conformance;

import org.junit.jupiter.api.Nested;

/** The whole verbs conformance suite: a class that extends this one says which devices it runs on. */
abstract class ConformanceSuite {
    private final DevicePair devices;

    ConformanceSuite(final DevicePair devices) {
        this.devices = devices;
    }

    @Nested
    class Data extends DataConformance {
        Data() {
            super(ConformanceSuite.this.devices);
        }
    }

    @Nested
    class Connections extends ConnectionConformance {
        Connections() {
            super(ConformanceSuite.this.devices);
        }
    }

    @Nested
    class Errors extends ErrorConformance {
        Errors() {
            super(ConformanceSuite.this.devices);
        }
    }

    @Nested
    class Objects extends ObjectConformance {
        Objects() {
            super(ConformanceSuite.this.devices);
        }
    }

    @Nested
    class Events extends EventConformance {
        Events() {
            super(ConformanceSuite.this.devices);
        }
    }

    @Nested
    class Datagrams extends DatagramConformance {
        Datagrams() {
            super(ConformanceSuite.this.devices);
        }
    }
}
