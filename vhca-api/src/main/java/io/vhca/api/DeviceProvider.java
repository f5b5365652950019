package io.vhca.api;

import java.util.List;

/**
 * A source of devices, found by {@link java.util.ServiceLoader}: {@code verbs} (libibverbs), {@code soft} (embedded),
 * {@code bond}.
 *
 * <p>A provider that cannot work on this host (a library is missing, say) offers no devices and says why in
 * {@link #unavailableReason()}; it does not throw. Any thread.
 */
public interface DeviceProvider {
    /** Short name of the provider: {@code soft}. */
    String name();

    /**
     * The devices there are now ({@code ibv_get_device_list}). Listing opens nothing.
     *
     * @throws VerbsException where the provider's configuration is wrong: the message names the key and what is allowed
     */
    List<Device> devices();

    /** One sentence that says what is missing for this provider to offer devices; empty when nothing is. */
    String unavailableReason();
}
