package io.vhca.rdp.engine;

import io.vhca.rdp.wire.ControlDescriptor;
import io.vhca.rdp.wire.ControlFlyweight;

/** Writes records into a control message. */
final class ControlWriter {
    private final ControlFlyweight row = new ControlFlyweight();
    private long address;
    private int room;
    private int length;

    void begin(final long payloadAddress, final int payloadBytes) {
        address = payloadAddress;
        room = payloadBytes;
        length = 0;
    }

    boolean hasRoom() {
        return length + ControlDescriptor.SIZE <= room;
    }

    void write(final int kind, final int sourcePort, final int destinationPort, final int id, final long sequence) {
        assert hasRoom();
        row.wrap(address + length).write(kind, sourcePort, destinationPort, id, sequence);
        length += ControlDescriptor.SIZE;
    }

    int length() {
        return length;
    }
}
