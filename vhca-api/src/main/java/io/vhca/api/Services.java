package io.vhca.api;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * What {@link ServiceLoader} finds, whichever thread asks: threads of the JVM's own pools, as those of
 * {@link java.util.concurrent.CompletableFuture}, look by the class path that the JVM was started with, which has
 * nothing of vHCA where an application server or a jar of jars loads it. For providers. Any thread.
 */
public final class Services {
    private Services() {}

    /**
     * Who offers a service: whom the thread's context class loader finds, and where that is nobody, whom the loader of
     * the service's own class does.
     */
    public static <S> List<S> of(final Class<S> service) {
        final List<S> found = new ArrayList<>();
        ServiceLoader.load(service).forEach(found::add);
        if (found.isEmpty()) {
            ServiceLoader.load(service, service.getClassLoader()).forEach(found::add);
        }
        return found;
    }
}
