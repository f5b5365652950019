package io.vhca.rdp.nio;

import io.vhca.rdp.RdpSockets;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.SocketException;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets programs of NIO use reliable datagrams unchanged:
 * {@code -Djava.nio.channels.spi.SelectorProvider=io.vhca.rdp.nio.RdpSelectorProvider}. A datagram channel goes over
 * the driver whose address it is bound to, or whose network its target is in; else over UDP. All other channels are the
 * default provider's; selectors take both. Any thread.
 *
 * <p>{@code -Dvhca.rdp.devices=bond0/24} names the devices, and how many bits of its address a network has;
 * {@code -Dvhca.rdp.options} the options of their drivers.
 * {@code -Dvhca.rdp.connect.wait} says for how many ms (1000) a send that must not block waits where its destination is
 * being connected: programs of UDP do not expect that a first datagram is refused.
 */
public final class RdpSelectorProvider extends SelectorProvider {
    private final NativeProvider base = new NativeProvider();
    private final RdpNetworks networks;

    /** Over the devices that system properties name; they are opened when a datagram channel is bound or sends. */
    public RdpSelectorProvider() {
        networks = new RdpNetworks();
    }

    /** Over drivers of the caller's, who closes them after all channels. */
    public RdpSelectorProvider(final List<RdpNetwork> networks) {
        this.networks = new RdpNetworks(networks);
    }

    /**
     * The drivers of its networks.
     *
     * @throws SocketException where a device that a property names cannot be opened
     */
    public List<RdpSockets> drivers() throws SocketException {
        return networks.all().stream().map(RdpNetwork::driver).toList();
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        return new RdpDatagramChannel(this, networks, base.get(), base.get().openDatagramChannel());
    }

    @Override
    public DatagramChannel openDatagramChannel(final ProtocolFamily family) throws IOException {
        return new RdpDatagramChannel(this, networks, base.get(), base.get().openDatagramChannel(family));
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
        return new RdpSelector(this, base, base.get().openSelector());
    }

    @Override
    public Pipe openPipe() throws IOException {
        return base.get().openPipe();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        return base.get().openServerSocketChannel();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(final ProtocolFamily family) throws IOException {
        return base.get().openServerSocketChannel(family);
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        return base.get().openSocketChannel();
    }

    @Override
    public SocketChannel openSocketChannel(final ProtocolFamily family) throws IOException {
        return base.get().openSocketChannel(family);
    }

    @Override
    public @Nullable Channel inheritedChannel() throws IOException {
        return base.get().inheritedChannel();
    }
}
