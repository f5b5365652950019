package io.vhca.api;

/** An RDMA device that can be opened ({@code struct ibv_device}). Any thread. */
public interface Device {
    /** The name that applications choose it by: {@code soft0} ({@code ibv_get_device_name}). */
    String name();

    /** Node GUID in host order ({@code ibv_get_device_guid}); it identifies the device whatever its name. */
    long nodeGuid();

    NodeType nodeType();

    /**
     * Opens the device ({@code ibv_open_device}). The caller closes the context.
     *
     * @throws VerbsException ENODEV when the device is gone, EBUSY or EADDRINUSE when something it needs is taken
     */
    Context open();
}
