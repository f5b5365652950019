package io.vhca.bond.datagram;

import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Which vQP for datagrams had a queue pair number of a member last. Devices give numbers out anew, from the first one
 * on after a restart; and who knows a vQP by such a number sends there until it hears that the vQP has moved. So no
 * other vQP takes it, as far back as this remembers. Control lock.
 */
final class DatagramNumbers {
    static final int MOST = 4_096;
    static final int MOST_TRIES = 256;

    private final Map<Place, Integer> owners =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(final Map.Entry<Place, Integer> eldest) {
                    return size() > MOST;
                }
            };

    private record Place(InetAddress member, int qpNum) {}

    /**
     * A queue pair of a member with a number that no other vQP is known by there. Where the device has none, or none
     * within {@link #MOST_TRIES} tries, one with another's number.
     *
     * @param device creates one more
     * @param destroy takes those that were not it; they must live until there is one, or their numbers would come again
     * @throws VerbsException when the device creates none at all
     */
    QueuePair create(
            final InetAddress member,
            final int vQpNum,
            final Supplier<QueuePair> device,
            final Consumer<QueuePair> destroy) {
        final List<QueuePair> refused = new ArrayList<>(0);
        try {
            while (true) {
                final QueuePair created;
                try {
                    created = device.get();
                } catch (final VerbsException e) {
                    if (refused.isEmpty()) {
                        throw e;
                    }
                    return refused.removeLast();
                }
                if (claim(member, created.qpNum(), vQpNum) || refused.size() == MOST_TRIES) {
                    return created;
                }
                refused.add(created);
            }
        } finally {
            refused.forEach(destroy);
        }
    }

    /** False where that number was another vQP's; else it is this one's. */
    private boolean claim(final InetAddress member, final int qpNum, final int vQpNum) {
        final Integer owner = owners.putIfAbsent(new Place(member, qpNum), vQpNum);
        return owner == null || owner == vQpNum;
    }
}
