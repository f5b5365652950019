package io.vhca.tool.cli;

import io.vhca.bond.BondProvider;
import java.nio.file.Files;
import java.nio.file.Path;

/** The bond that the tool takes where none is configured: the examples run on it by name alone. */
public final class AssumedBond {
    private static final String CONFIGURATION = "bond0: mode=active-backup members=soft0,soft1";

    private AssumedBond() {}

    /** Configures bond0 over soft0 and soft1 where nothing is configured. */
    public static void configure() {
        if (System.getProperty(BondProvider.PROPERTY) == null
                && System.getenv(BondProvider.VARIABLE) == null
                && !Files.exists(Path.of(BondProvider.DEFAULT_FILE))) {
            System.setProperty(BondProvider.PROPERTY, CONFIGURATION);
        }
    }

    /** Its configuration where it is in use, else empty. */
    static String configuration() {
        return CONFIGURATION.equals(System.getProperty(BondProvider.PROPERTY)) ? CONFIGURATION : "";
    }
}
