package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServicesTest {
    private final ClassLoader own = Thread.currentThread().getContextClassLoader();

    @AfterEach
    void restore() {
        Thread.currentThread().setContextClassLoader(own);
    }

    @Test
    void aThreadWhoseLoaderKnowsNoneHasThoseOfTheServicesOwn() {
        Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
        assertThat(Services.of(DeviceProvider.class)).extracting(DeviceProvider::name).contains("test", "empty");
    }

    @Test
    void noneIsThereTwice() {
        assertThat(Services.of(DeviceProvider.class)).extracting(DeviceProvider::name)
                .contains("test", "empty")
                .doesNotHaveDuplicates();
    }

    @Test
    void whatNobodyOffersIsOfferedByNobody() {
        assertThat(Services.of(ServicesTest.class)).isEmpty();
    }

    @Test
    void whoCannotBeHadIsToldOfAndTheOthersAreOffered(@TempDir final Path classes) throws IOException {
        final Path services = Files.createDirectories(classes.resolve("META-INF/services"));
        Files.write(services.resolve(Offer.class.getName()), List.of(
                "nobody.has.this.Class", Broken.class.getName(), Whole.class.getName()));
        final List<Error> failed = new ArrayList<>();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, own)) {
            Thread.currentThread().setContextClassLoader(loader);
            assertThat(Services.of(Offer.class, failed::add)).singleElement().isInstanceOf(Whole.class);
            assertThatThrownBy(() -> Services.of(Offer.class)).isInstanceOf(ServiceConfigurationError.class);
        }
        assertThat(failed).hasSize(2);
        assertThat(failed.getFirst()).hasMessageContaining("nobody.has.this.Class");
        assertThat(failed.getLast()).hasRootCauseMessage("planted");
    }

    /** A service. */
    public interface Offer {}

    /** One of its providers. */
    public static final class Whole implements Offer {}

    /** Another one. */
    public static final class Broken implements Offer {
        public Broken() {
            throw new IllegalStateException("planted");
        }
    }
}
