package io.vhca.physical.soft.cm;

import io.vhca.api.Gid;

/** A number (communication id, request id or QP number) as the peer with that address gave it. */
record PeerKey(Gid peer, int number) {}
