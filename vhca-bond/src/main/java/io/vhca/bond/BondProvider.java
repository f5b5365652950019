package io.vhca.bond;

import io.vhca.api.Device;
import io.vhca.api.DeviceProvider;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondConfigException;
import io.vhca.bond.config.BondConfigParser;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
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
        final String value = value();
        if (value.isBlank()) {
            return List.of();
        }
        final Path file = value.contains(":") || value.contains("[") ? null : Path.of(value);
        final String text = file == null ? value : read(file);
        final String inline = System.getProperty(PROPERTY) != null ? PROPERTY : VARIABLE;
        final String source = file == null ? inline : file.toString();
        return DEVICES.computeIfAbsent(source + '\n' + text, key -> parse(text, source));
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

    private static String read(final Path file) {
        if (!Files.exists(file) && file.toString().contains("=")) {
            throw new VerbsException(
                    "getDeviceList",
                    Errno.EINVAL,
                    file.toString(),
                    "this is neither a file nor the configuration of a bond, which begins with its name, as in"
                            + " bond0: members=soft0,soft1");
        }
        try {
            if (Files.isDirectory(file)) {
                throw new FileSystemException(file.toString(), null, "it is a directory; name a file in it");
            }
            return Files.readString(file);
        } catch (final IOException e) {
            throw new VerbsException(
                    "getDeviceList",
                    Errno.ENOENT,
                    file.toString(),
                    "the bond configuration cannot be read: " + why(e),
                    e);
        }
    }

    private static String why(final IOException failure) {
        return switch (failure) {
            case NoSuchFileException e -> "there is no such file";
            case AccessDeniedException e -> "this user may not read it";
            case CharacterCodingException e -> "it is no text in UTF-8";
            case FileSystemException e when e.getReason() != null -> e.getReason();
            default -> failure.toString();
        };
    }

    @Override
    public String unavailableReason() {
        return value().isBlank()
                ? "no bond is configured: write " + DEFAULT_FILE + ", or set -D" + PROPERTY
                        + "=\"bond0: members=soft0,soft1\""
                : "";
    }
}
