package io.vhca.harness.drill.attack.packet;

import io.vhca.api.Gid;

/**
 * A packet on its way.
 *
 * @param from   the address that it says it comes from
 * @param to     where it goes
 * @param packet BTH up to the payload, or whatever stands in their place
 * @param sealed an ICRC is put behind it, as a real device would; else it goes as it is
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Shot(Gid from, Gid to, byte[] packet, boolean sealed) {}
