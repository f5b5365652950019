package io.vhca.api;

/**
 * Something that a device refused, dropped or failed at, and how often. Any thread.
 *
 * @param name    one word, capitals and underscores
 * @param value   how often since the device was opened, more than zero
 * @param meaning what it means, and what to do: ASCII, a sentence or two
 */
public record DeviceCounter(String name, long value, String meaning) {}
