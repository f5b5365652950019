package io.vhca.harness.conformance;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test classes of this package without Maven, one line a test: what a machine of the lab, or a host with real
 * devices, is given. Arguments are simple class names; exit code 0 when none failed and at least one ran.
 */
public final class ConformanceMain {
    private ConformanceMain() {}

    public static void main(final String[] names) {
        final LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(Arrays.stream(names)
                        .map(name -> selectClass(ConformanceMain.class.getPackageName() + "." + name))
                        .toList())
                .build();
        final Lines lines = new Lines();
        final long startNs = System.nanoTime();
        LauncherFactory.create().execute(request, lines);
        System.out.printf(
                Locale.ROOT, "conformance: %d passed, %d failed, %d skipped in %d s%n",
                lines.passed.get(), lines.failed.get(), lines.skipped.get(),
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs));
        System.out.flush();
        // What a provider left running must not keep this process alive.
        Runtime.getRuntime().halt(lines.failed.get() == 0 && lines.passed.get() > 0 ? 0 : 1);
    }

    private static final class Lines implements TestExecutionListener {
        private final AtomicInteger passed = new AtomicInteger();
        private final AtomicInteger failed = new AtomicInteger();
        private final AtomicInteger skipped = new AtomicInteger();

        private static String name(final TestIdentifier test) {
            final String[] parts = test.getUniqueIdObject().toString().split("[\\[\\]/:]+", -1);
            return parts[parts.length - 4] + " " + test.getDisplayName();
        }

        @Override
        public void executionSkipped(final TestIdentifier test, final String reason) {
            skipped.incrementAndGet();
            System.out.println("skipped  " + test.getDisplayName() + ": " + reason);
        }

        @Override
        public void executionFinished(final TestIdentifier test, final TestExecutionResult result) {
            switch (result.getStatus()) {
                case SUCCESSFUL -> {
                    if (test.isTest()) {
                        passed.incrementAndGet();
                        System.out.println("passed   " + name(test));
                    }
                }
                case ABORTED -> {
                    skipped.incrementAndGet();
                    System.out.println("skipped  " + name(test) + ": "
                            + result.getThrowable().map(Throwable::getMessage).orElse(""));
                }
                case FAILED -> {
                    failed.incrementAndGet();
                    System.out.println("FAILED   " + name(test));
                    result.getThrowable().ifPresent(thrown -> thrown.printStackTrace(System.out));
                }
            }
            System.out.flush();
        }
    }
}
