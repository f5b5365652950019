package io.vhca.physical.soft.cm.message;

import io.vhca.api.Gid;

/**
 * Where a request goes from and to.
 *
 * @param local     the sender's address
 * @param localGuid the sender's node GUID
 * @param localPort the sender's port in its port space
 * @param peer      the receiver's address
 * @param peerPort  the port that the request is for
 */
public record CmRoute(Gid local, long localGuid, int localPort, Gid peer, int peerPort) {}
