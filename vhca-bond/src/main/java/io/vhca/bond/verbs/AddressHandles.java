package io.vhca.bond.verbs;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The vAHs of a bond by handle: an index and a generation. Written with the control lock held; read from posts.
 *
 * <pre>
 *   63           32 31        0
 *   | generation   |  index    |      0 is no handle: generations begin with 1
 * </pre>
 */
public final class AddressHandles {
    private static final int FIRST_SIZE = 8;

    private final int limit;
    private volatile @Nullable BondAddressHandle[] table = new BondAddressHandle[FIRST_SIZE];
    private int[] generations = new int[FIRST_SIZE];
    private int live;
    private Consumer<BondAddressHandle> removeListener = unused -> {};

    public AddressHandles(final int limit) {
        this.limit = limit;
    }

    /** The vAH of a handle, or null for one that does not exist (any more). */
    public @Nullable BondAddressHandle find(final long handle) {
        final @Nullable BondAddressHandle[] all = table;
        final int index = (int) handle;
        final BondAddressHandle ah = index >= 0 && index < all.length ? all[index] : null;
        return ah != null && ah.handle() == handle ? ah : null;
    }

    /** A handle that is not in use. */
    long allocate(final String bond) {
        if (live >= limit) {
            throw new VerbsException(
                    "createAh", Errno.ENOMEM, bond, "all " + limit + " address handles are in use");
        }
        int index = 0;
        while (index < table.length && table[index] != null) {
            index++;
        }
        if (index == table.length) {
            generations = Arrays.copyOf(generations, 2 * index);
            table = Arrays.copyOf(table, 2 * index);
        }
        generations[index] = after(generations[index]);
        return (long) generations[index] << Integer.SIZE | index;
    }

    /** The next generation: never 0, as 0 is no handle, whatever the number of handles that came before. */
    static int after(final int generation) {
        return generation == -1 ? 1 : generation + 1;
    }

    void put(final BondAddressHandle ah) {
        publish(ah, ah);
        live++;
    }

    /** Who is told of each vAH that is destroyed, before nobody finds it any more. */
    public void onRemove(final Consumer<BondAddressHandle> listener) {
        removeListener = listener;
    }

    void remove(final BondAddressHandle ah) {
        removeListener.accept(ah);
        publish(ah, null);
        live--;
    }

    private void publish(final BondAddressHandle of, final @Nullable BondAddressHandle value) {
        final @Nullable BondAddressHandle[] all = table;
        all[(int) of.handle()] = value;
        table = all;
    }

    public List<BondAddressHandle> all() {
        final List<BondAddressHandle> known = new ArrayList<>(live);
        for (final BondAddressHandle ah : table) {
            if (ah != null) {
                known.add(ah);
            }
        }
        return known;
    }
}
