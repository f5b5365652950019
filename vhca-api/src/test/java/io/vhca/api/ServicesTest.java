package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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
}
