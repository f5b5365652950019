package io.vhca.tool.console;

import java.net.InetSocketAddress;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An address to listen at, [HOST:]PORT: at the loopback one where no host is named. */
public final class ListenAddress implements ITypeConverter<InetSocketAddress> {
    private static final String LOOPBACK = "127.0.0.1";

    @Override
    public InetSocketAddress convert(final String text) {
        final int colon = text.lastIndexOf(':');
        try {
            final String named = text.substring(0, Math.max(0, colon)).replaceAll("^\\[|]$", "");
            final InetSocketAddress address = new InetSocketAddress(
                    named.isEmpty() ? LOOPBACK : named, Integer.parseInt(text.substring(colon + 1)));
            if (!address.isUnresolved()) {
                return address;
            }
        } catch (final IllegalArgumentException e) {
            // Refused below, like a host that nobody knows.
        }
        throw new TypeConversionException(
                text + " is no address; write PORT, or HOST:PORT, as in 127.0.0.1:9555");
    }
}
