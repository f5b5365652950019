package io.vhca.tool;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version of the build, from a resource that Maven fills in. */
final class PomVersion implements IVersionProvider {
    private static final String RESOURCE = "/io/vhca/tool/version.properties";

    @Override
    public String[] getVersion() throws IOException {
        final Properties properties = new Properties();
        try (InputStream in = Objects.requireNonNull(PomVersion.class.getResourceAsStream(RESOURCE), RESOURCE)) {
            properties.load(in);
        }
        return new String[] {"vhca " + properties.getProperty("version")};
    }
}
