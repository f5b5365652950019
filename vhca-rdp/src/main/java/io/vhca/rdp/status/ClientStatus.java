package io.vhca.rdp.status;

/**
 * A process that is attached to a shared driver.
 *
 * @param pid     0 where it is of another namespace of processes
 * @param user    whose it is
 * @param sockets that it has open
 * @param calls   that it has made
 */
public record ClientStatus(long pid, long user, int sockets, long calls) {}
