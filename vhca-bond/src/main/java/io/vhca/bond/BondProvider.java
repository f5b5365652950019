package io.vhca.bond;

import io.vhca.api.Device;
import io.vhca.api.DeviceProvider;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondConfigException;
import io.vhca.bond.config.BondConfigParser;
import io.vhca.bond.config.BondConfigSource;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The provider {@code bond}. Its configuration is the value of the system property {@value #PROPERTY}, else of the
 * environment variable {@value #VARIABLE} (a text, or the path of a file), else the file {@value #DEFAULT_FILE} in the
 * working directory.
 */
public final class BondProvider implements DeviceProvider {
    public static final String PROPERTY = "vhca.bond";
    public static final String VARIABLE = "VHCA_BOND";
    public static final String DEFAULT_FILE = "vhca.conf";

    /** One device object for each configuration seen: whether a bond is open must not depend on who lists. */
    private static final Map<String, List<Device>> DEVICES = new ConcurrentHashMap<>();

    @Override
    public String name() {
        return "bond";
    }

    @Override
    public List<Device> devices() {
        final String label = System.getProperty(PROPERTY) != null ? PROPERTY : VARIABLE;
        try {
            return BondConfigSource.of(value(), label)
                    .map(source -> DEVICES.computeIfAbsent(
                            source.label() + '\n' + source.text(), key -> parse(source.text(), source.label())))
                    .orElse(List.of());
        } catch (final FileSystemException e) {
            throw new VerbsException("getDeviceList", errno(e), e.getFile(), e.getReason(), e);
        }
    }

    static int errno(final FileSystemException e) {
        return switch (e) {
            case NoSuchFileException _ -> Errno.ENOENT;
            case AccessDeniedException _ -> Errno.EPERM;
            default -> BondConfigSource.NO_DESCRIPTOR.equals(e.getReason()) ? Errno.EMFILE : Errno.EINVAL;
        };
    }

    private static List<Device> parse(final String text, final String source) {
        try {
            return BondConfigParser.parse(text, source).stream()
                    .<Device>map(BondDevice::new)
                    .toList();
        } catch (final BondConfigException e) {
            throw new VerbsException("getDeviceList", Errno.EINVAL, "provider bond", String.join("\n", e.errors()), e);
        }
    }

    private static String value() {
        final String property = System.getProperty(PROPERTY);
        if (property != null) {
            return property;
        }
        final String variable = System.getenv(VARIABLE);
        if (variable != null) {
            return variable;
        }
        return Files.exists(Path.of(DEFAULT_FILE)) ? DEFAULT_FILE : "";
    }

    @Override
    public String unavailableReason() {
        return value().isBlank()
                ? "no bond is configured: write " + DEFAULT_FILE + ", or set -D" + PROPERTY
                        + "=\"bond0: members=soft0,soft1\""
                : "";
    }
}
