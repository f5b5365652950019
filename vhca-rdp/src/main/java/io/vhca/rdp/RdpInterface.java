package io.vhca.rdp;

import java.net.InetAddress;

/** A device that sockets can use. */
public record RdpInterface(String device, InetAddress address) {}
