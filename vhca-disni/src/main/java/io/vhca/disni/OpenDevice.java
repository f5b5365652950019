package io.vhca.disni;

import io.vhca.api.Context;
import io.vhca.api.DeviceAttributes;

/**
 * The device that DiSNI's programs of this process use. It stays open until the process ends: DiSNI never closes a
 * device. Any thread.
 */
final class OpenDevice {
    private final Context context;
    private final DeviceAttributes attributes;
    private final long handle;

    OpenDevice(final HandleTable handles, final Context context) {
        this.context = context;
        boolean isDone = false;
        try {
            attributes = context.queryDevice();
            handle = handles.put(this);
            isDone = true;
        } finally {
            if (!isDone) {
                // Nobody else has it, and the next event channel opens it again.
                context.close();
            }
        }
    }

    Context context() {
        return context;
    }

    DeviceAttributes attributes() {
        return attributes;
    }

    /** Its number, for DiSNI. */
    long handle() {
        return handle;
    }
}
