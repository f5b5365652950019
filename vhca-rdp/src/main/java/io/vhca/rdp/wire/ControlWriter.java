package io.vhca.rdp.wire;

/** Writes records into a control message. */
public final class ControlWriter {
    private final ControlFlyweight row = new ControlFlyweight();
    private long address;
    private int room;
    private int length;

    public void begin(final long payloadAddress, final int payloadBytes) {
        address = payloadAddress;
        room = payloadBytes;
        length = 0;
    }

    public boolean hasRoom() {
        return hasRoom(1);
    }

    public boolean hasRoom(final int records) {
        return length + records * ControlDescriptor.SIZE <= room;
    }

    public void write(
            final int kind, final int sourcePort, final int destinationPort, final int id, final long sequence) {
        assert hasRoom();
        row.wrap(address + length).write(kind, sourcePort, destinationPort, id, sequence);
        length += ControlDescriptor.SIZE;
    }

    public int length() {
        return length;
    }
}
