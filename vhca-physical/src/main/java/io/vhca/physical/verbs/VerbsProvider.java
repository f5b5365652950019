package io.vhca.physical.verbs;

import io.vhca.api.Device;
import io.vhca.api.DeviceProvider;
import io.vhca.physical.verbs.lib.Libraries;
import java.util.List;

/**
 * The provider {@code verbs}: every device that libibverbs lists, by its own name. On a host without the libraries or
 * without devices it lists none and says what is missing. Any thread.
 */
public final class VerbsProvider implements DeviceProvider {
    /** For ServiceLoader. */
    public VerbsProvider() {}

    @Override
    public String name() {
        return "verbs";
    }

    @Override
    public List<Device> devices() {
        return Libraries.areThere() && Libraries.whatIsMissing().isEmpty() ? VerbsDevice.list() : List.of();
    }

    @Override
    public String unavailableReason() {
        return Libraries.whatIsMissing();
    }
}
