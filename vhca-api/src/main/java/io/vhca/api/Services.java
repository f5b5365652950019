package io.vhca.api;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Consumer;

/**
 * What {@link ServiceLoader} finds, whichever thread asks: threads of the JVM's own pools, as those of
 * {@link java.util.concurrent.CompletableFuture}, look by the class path that the JVM was started with, which has
 * nothing of vHCA where an application server or a jar of jars loads it. For providers. Any thread.
 */
public final class Services {
    /** A class path that cannot be read says so for ever. */
    private static final int MOST_FAILURES = 64;

    private Services() {}

    /**
     * Who offers a service: whom the thread's context class loader finds, and where that is nobody, whom the loader of
     * the service's own class does.
     *
     * @throws ServiceConfigurationError where one of them cannot be had
     */
    public static <S> List<S> of(final Class<S> service) {
        return of(service, error -> {
            throw error;
        });
    }

    /**
     * The same, without those that cannot be had, as where a class of theirs is missing.
     *
     * @param failed is told of each of those
     */
    public static <S> List<S> of(final Class<S> service, final Consumer<Error> failed) {
        final List<S> found = new ArrayList<>();
        take(ServiceLoader.load(service), found, failed);
        if (found.isEmpty()) {
            take(ServiceLoader.load(service, service.getClassLoader()), found, failed);
        }
        return found;
    }

    private static <S> void take(
            final ServiceLoader<S> from, final List<S> found, final Consumer<Error> failed) {
        final Iterator<S> all = from.iterator();
        for (int failures = 0; failures < MOST_FAILURES; ) {
            try {
                if (!all.hasNext()) {
                    return;
                }
                found.add(all.next());
            } catch (final ServiceConfigurationError | LinkageError e) {
                failures++;
                failed.accept(e);
            }
        }
    }
}
