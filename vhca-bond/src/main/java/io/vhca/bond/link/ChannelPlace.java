package io.vhca.bond.link;

import io.vhca.bond.member.Member;
import java.net.InetAddress;

/**
 * Where a {@link PathChannel} goes.
 *
 * @param isOwn whether this side opened it
 */
record ChannelPlace(Peer peer, Member member, InetAddress remote, boolean isOwn) {}
