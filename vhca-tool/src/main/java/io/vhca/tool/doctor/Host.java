package io.vhca.tool.doctor;

import io.vhca.bond.config.BondConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What the doctor looks at. Nothing of it changes the host. */
public interface Host {
    /** What this process may do with a file. */
    record Access(boolean exists, boolean readable, boolean writable) {}

    /**
     * The devices of one provider.
     *
     * @param trouble why there are none, or what is wrong with their configuration; empty when nothing is
     */
    record Listing(List<Adapter> adapters, String trouble) {}

    /**
     * The bonds that are configured.
     *
     * @param errors  what is wrong with the configuration, one sentence each
     * @param assumed what is assumed because nothing is configured, empty where something is
     */
    record Bonds(List<BondConfig> configs, List<String> errors, String assumed) {}

    /** Text of a file, null where it is not there or must not be read. */
    @Nullable String read(Path file);

    /**
     * What a program that changes nothing prints; null where it is not installed, or fails.
     *
     * @throws TimeoutException where it takes so long that nobody waits for it, which says nothing of what it would
     *                          print; the message is a sentence
     */
    @Nullable String run(List<String> command) throws TimeoutException;

    /** Names in a directory, sorted; none where there is no such directory. */
    List<String> list(Path directory);

    Access access(Path file);

    /** Where a directory, there or not, is: no part of the path is a symbolic link. */
    Path real(Path directory);

    /** Bytes that this user may still write below a directory that exists; below 0 where that cannot be told. */
    long usableBytes(Path directory);

    /** Whether the dynamic linker finds a library. */
    boolean loads(String library);

    List<Netdev> netdevs();

    /** Devices of libibverbs. */
    Listing verbs();

    /** Embedded devices. */
    Listing soft();

    Bonds bonds();

    /** Where bonds of this user keep their status. */
    Path statusDirectory();

    /** Why bonds would not use a directory, there or not: others may change what is in it; else empty. */
    String distrust(Path directory);

    /** Of the JVM that this runs on. */
    Runtime.Version java();

    boolean isNativeAccessEnabled();
}
