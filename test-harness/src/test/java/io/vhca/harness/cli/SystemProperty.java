package io.vhca.harness.cli;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.jspecify.annotations.Nullable;

/** A property of the JVM as long as the tests of a class run: others have it as it was. */
final class SystemProperty implements BeforeAllCallback, AfterAllCallback {
    private final String name;
    private final String value;
    private @Nullable String before;

    SystemProperty(final String name, final String value) {
        this.name = name;
        this.value = value;
    }

    @Override
    public void beforeAll(final ExtensionContext context) {
        before = System.setProperty(name, value);
    }

    @Override
    public void afterAll(final ExtensionContext context) {
        if (before == null) {
            System.clearProperty(name);
        } else {
            System.setProperty(name, before);
        }
    }
}
