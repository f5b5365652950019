package io.vhca.harness.sim.host;

import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import io.vhca.recovery.proof.AuthKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The key file of a scenario whose bonds have a key, as long as a bond is opened: it is read then, and never after. */
public final class KeyOfScenario implements AutoCloseable {
    /** The stream that keys are drawn from. */
    private static final int STREAM = 77;

    private final @Nullable Path file;

    KeyOfScenario(final Scenario scenario) {
        this(scenario.seed(), scenario.has(Trait.AUTH_KEY));
    }

    /** That of a run of another kind. */
    public KeyOfScenario(final long seed, final boolean hasKey) {
        file = hasKey ? write(seed) : null;
    }

    private static Path write(final long seed) {
        final byte[] key = new byte[AuthKey.SIZE];
        Draws.stream(seed, STREAM).nextBytes(key);
        try {
            final Path made = Files.createTempFile("vhca-sim", ".key"); // for its owner alone
            Files.writeString(made, "key = " + HexFormat.of().formatHex(key) + "\n");
            return made;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a bond's configuration says of it. */
    Map<String, String> options() {
        return file == null ? Map.of() : Map.of("auth_key_file", file.toString());
    }

    /** Where it is, none where there is no key. */
    public Optional<String> file() {
        return Optional.ofNullable(file).map(Path::toString);
    }

    @Override
    public void close() {
        if (file != null) {
            try {
                Files.delete(file);
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
