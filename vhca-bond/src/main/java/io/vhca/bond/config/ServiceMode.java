package io.vhca.bond.config;

/**
 * How closely a bond looks at its paths and at what its application does, and who may look at the bond: the options
 * that say so.
 */
public final class ServiceMode {
    private ServiceMode() {}

    /** Whether the line is kept that makes an object (option {@code memory_trace}). */
    public enum MemoryTrace {
        /** It is not: what is there is told by kind. */
        OFF("off"),
        /** It is, for what is made from then on: a walk of the stack for each object, none for a request. */
        SITE("site");

        private final String text;

        MemoryTrace(final String text) {
            this.text = text;
        }

        /** The name as written in a configuration. */
        public String text() {
            return text;
        }
    }

    /** How a path that dies without a word is found (option {@code detect}). */
    public enum Detect {
        /** The peer's bond is asked over it, and over another one beside, when requests do not complete. */
        PROBE("probe"),
        /** Hardware gives up, or is silent for too long. */
        HARDWARE("hardware");

        private final String text;

        Detect(final String text) {
            this.text = text;
        }

        /** The name as written in a configuration. */
        public String text() {
            return text;
        }
    }

    /** What is looked at while the bond works (option {@code checks}). */
    public enum Checks {
        /** Nothing that is not asked for. */
        OFF("off"),
        /** Markers in native memory, wherever that is no call of the data path. */
        FAST("fast"),
        /** The same before each post. */
        FULL("full");

        private final String text;

        Checks(final String text) {
            this.text = text;
        }

        /** The name as written in a configuration. */
        public String text() {
            return text;
        }
    }

    /** Whether queue pairs keep a second connection, which a recovery takes (option {@code standby}). */
    public enum Standby {
        /** One is kept, where there is another path. */
        WARM("warm"),
        /** None: a recovery connects when the first one has failed. */
        COLD("cold");

        private final String text;

        Standby(final String text) {
            this.text = text;
        }

        /** The name as written in a configuration. */
        public String text() {
            return text;
        }
    }

    /** At what a bond writes a dump by itself (option {@code dump_on}). */
    public enum DumpOn {
        /** Never. */
        NONE("none"),
        /** When the device of a member dies. */
        FATAL("fatal"),
        /** When a queue pair fails for good. */
        FAILED("failed"),
        /** At both. */
        BOTH("fatal,failed");

        private final String text;

        DumpOn(final String text) {
            this.text = text;
        }

        /** The name as written in a configuration. */
        public String text() {
            return text;
        }

        /** Whether it is one of those for which a bond dumps. */
        public boolean has(final DumpOn one) {
            return this == one || this == BOTH;
        }
    }

    /** What becomes of a close while the application has objects open (option {@code leaks}). */
    public enum Leaks {
        /** They are told of, and closed with the bond. */
        REPORT("report"),
        /** It is refused with EBUSY, as verbs do it. */
        FAIL("fail");

        private final String text;

        Leaks(final String text) {
            this.text = text;
        }

        /** The name as written in a configuration. */
        public String text() {
            return text;
        }
    }

    /** Who may read a bond's status and tell it what to do (option {@code status_mode}). */
    public enum StatusMode {
        /** The user that runs the application. */
        OWNER("owner"),
        /** That user and the members of its group. */
        GROUP("group");

        private final String text;

        StatusMode(final String text) {
            this.text = text;
        }

        /** The name as written in a configuration. */
        public String text() {
            return text;
        }
    }
}
