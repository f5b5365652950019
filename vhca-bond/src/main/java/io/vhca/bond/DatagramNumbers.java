package io.vhca.bond;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which vQP for datagrams had a queue pair number of a member last. Devices give numbers out anew, from the first one
 * on after a restart; and who knows a vQP by such a number sends there until it hears that the vQP has moved. So no
 * other vQP takes it, as far back as this remembers. Control lock.
 */
final class DatagramNumbers {
    static final int MOST = 4_096;

    private final Map<Place, Integer> owners =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(final Map.Entry<Place, Integer> eldest) {
                    return size() > MOST;
                }
            };

    private record Place(InetAddress member, int qpNum) {}

    /** False where that number was another vQP's; else it is this one's. */
    boolean claim(final InetAddress member, final int qpNum, final int vQpNum) {
        final Integer owner = owners.putIfAbsent(new Place(member, qpNum), vQpNum);
        return owner == null || owner == vQpNum;
    }
}
