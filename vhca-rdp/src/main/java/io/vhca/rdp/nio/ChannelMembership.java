package io.vhca.rdp.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.channels.MembershipKey;
import java.nio.channels.MulticastChannel;
import org.jspecify.annotations.Nullable;

/** The membership of a channel in a group, which its UDP channel has joined for it. Any thread. */
final class ChannelMembership extends MembershipKey {
    private final RdpDatagramChannel channel;
    private final MembershipKey base;

    ChannelMembership(final RdpDatagramChannel channel, final MembershipKey base) {
        this.channel = channel;
        this.base = base;
    }

    @Override
    public boolean isValid() {
        return base.isValid();
    }

    @Override
    public void drop() {
        base.drop();
        channel.left(base);
    }

    @Override
    public MembershipKey block(final InetAddress source) throws IOException {
        base.block(source);
        return this;
    }

    @Override
    public MembershipKey unblock(final InetAddress source) {
        base.unblock(source);
        return this;
    }

    @Override
    public MulticastChannel channel() {
        return channel;
    }

    @Override
    public InetAddress group() {
        return base.group();
    }

    @Override
    public NetworkInterface networkInterface() {
        return base.networkInterface();
    }

    @Override
    public @Nullable InetAddress sourceAddress() {
        return base.sourceAddress();
    }

    @Override
    public String toString() {
        return base.toString();
    }
}
