package io.vhca.bond.link;

import io.vhca.bond.wire.ChannelMessageDescriptor;

/**
 * Carries the words of a {@link StandbyLink} by a channel. Control lock.
 *
 * @param qpNum  the peer's vQPN
 * @param number of the connection that stands by
 */
public record ChannelCarrier(PathChannel channel, int qpNum, int number) implements LinkCarrier {
    @Override
    public void ask(final byte[] request) {
        channel.send(ChannelMessageDescriptor.ASK, qpNum, number, request);
    }

    @Override
    public void accept(final byte[] reply) {
        channel.send(ChannelMessageDescriptor.ACCEPT, qpNum, number, reply);
    }

    @Override
    public void confirm() {
        channel.send(ChannelMessageDescriptor.CONFIRM, qpNum, number, new byte[0]);
    }

    @Override
    public void reject(final byte[] record) {
        channel.send(ChannelMessageDescriptor.REJECT, qpNum, number, record);
    }
}
