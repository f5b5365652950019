package io.vhca.api;

/** The name alone, for the signatures of Devices; it is not in the jar. */
interface DeviceProvider {}
