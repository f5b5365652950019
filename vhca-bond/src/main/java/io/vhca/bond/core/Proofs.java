package io.vhca.bond.core;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.AuthKeyFile;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.recovery.proof.AuthKey;
import io.vhca.recovery.proof.AuthKey.Purpose;
import io.vhca.recovery.proof.Endpoints;
import io.vhca.recovery.proof.KeyRing;
import io.vhca.recovery.proof.Seal;
import io.vhca.recovery.wire.SessionId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a bond ({@code auth_key_file}), and what it remembers so that no REQ that opens a connection is used
 * twice. Without a key it passes records on as they are. Control lock.
 *
 * <p>A bond signs such a REQ with a nonce that the asked bond has told it. A bond that was told none, or an old one, is
 * told the present one once ({@code CHALLENGE}); it is made of the asking bond's instance and a secret of this start of
 * the asked bond, so that nothing is kept for who asks.
 */
public final class Proofs {
    private static final int MOST_NONCES = 1_024;

    private final long instance;
    private final RandomGenerator random;
    private final SeenRequests seen = new SeenRequests();
    /** What bonds have told, by where they were asked. */
    private final LinkedHashMap<InetSocketAddress, byte[]> nonces = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(final Map.Entry<InetSocketAddress, byte[]> eldest) {
            return size() > MOST_NONCES;
        }
    };

    private final boolean isOn;
    private final @Nullable AuthKey ownSecret;
    private KeyRing ring;
    private long names;

    Proofs(final KeyRing ring, final long instance, final RandomGenerator random) {
        this.ring = ring;
        this.instance = instance;
        this.random = random;
        isOn = !ring.isEmpty();
        ownSecret = isOn ? new AuthKey(longs(random.nextLong(), random.nextLong(), random.nextLong())) : null;
    }

    /** Those that a configuration names. */
    static Proofs of(final BondConfig config, final long instance, final RandomGenerator random) {
        return new Proofs(ring(config), instance, random);
    }

    private static KeyRing ring(final BondConfig config) {
        try {
            return read(config);
        } catch (final FileSystemException e) {
            throw new VerbsException("openDevice", Errno.EINVAL, config.name(), why(e), e);
        }
    }

    private static KeyRing read(final BondConfig config) throws FileSystemException {
        final Optional<String> file = config.get(BondOption.AUTH_KEY_FILE);
        return file.isEmpty() ? KeyRing.NONE : AuthKeyFile.read(Path.of(file.get()));
    }

    private static String why(final FileSystemException e) {
        return BondOption.AUTH_KEY_FILE + " " + e.getFile() + ": " + e.getReason();
    }

    /**
     * Reads the key file that a changed configuration names.
     *
     * @param errors is told why the keys stay as they are
     * @return puts what was read into effect
     */
    Runnable change(final BondConfig changed, final List<String> errors) {
                if (changed.get(BondOption.AUTH_KEY_FILE).isPresent() != isOn) {
            errors.add(BondOption.AUTH_KEY_FILE + " does not come or go while the bond is open, for connections were"
                    + " made " + (isOn ? "with a key" : "without one") + "; close the bond first");
            return () -> { };
        }
        try {
            final KeyRing changedRing = read(changed);
            return () -> change(changedRing);
        } catch (final FileSystemException e) {
            errors.add(why(e));
            return () -> { };
        }
    }

    private static byte[] longs(final long... values) {
        final ByteBuffer bytes = ByteBuffer.allocate(values.length * Long.BYTES);
        for (final long value : values) {
            bytes.putLong(value);
        }
        return bytes.array();
    }

    /** Whether the bond has a key; that does not change while it is open. Any thread. */
    public boolean isOn() {
        return isOn;
    }

    /** The keys from now on. */
    public void change(final KeyRing changed) {
        assert isOn == !changed.isEmpty() : "a bond does not come to have a key while it is open, nor to have none";
        ring = changed;
    }

    /** The keys for a peer, newest first. */
    public List<AuthKey> keysOf(final InetAddress peer) {
        return ring.keysOf(peer);
    }

    // ---- this bond asks ---------------------------------------------------------------------------------------------

    /**
     * What a FIRST or CONTROL of this bond shows as its session: with a key a name that counts, else what nobody may
     * guess.
     */
    public SessionId newName() {
        return new SessionId(instance, isOn ? ++names : random.nextLong());
    }

    /** The key for a peer: the newest, or the one before it where there is one; null where there is none. */
    private @Nullable AuthKey key(final InetAddress peer, final boolean isOlder) {
        final List<AuthKey> keys = keysOf(peer);
        return keys.isEmpty() ? null : keys.get(isOlder ? keys.size() - 1 : 0);
    }

    /** Whether a key besides the newest may be tried at a peer. */
    public boolean hasOlder(final InetAddress peer) {
        return keysOf(peer).size() > 1;
    }

    /**
     * Signs a FIRST or CONTROL.
     *
     * @param plain as without a key
     * @param isOlder whether the peer has refused the newest key
     */
    public Seal.Question first(
            final byte[] plain, final InetAddress from, final InetSocketAddress to, final boolean isOlder) {
        final AuthKey key = key(to.getAddress(), isOlder);
        return key == null
                ? new Seal.Question(plain, null)
                : Seal.first(key, plain, nonces.get(to), new Endpoints(from, to.getAddress()));
    }

    /** Signs a RECOVER, CLOSE or OOB. */
    public Seal.Question ofSession(
            final byte[] plain, final InetAddress from, final InetAddress to, final boolean isOlder) {
        final AuthKey key = key(to, isOlder);
        return key == null ? new Seal.Question(plain, null) : Seal.ask(key, keysOf(to), plain, new Endpoints(from, to));
    }

    /** The bond that is asked there has told its nonce. */
    public void told(final InetSocketAddress by, final byte[] nonce) {
        if (nonce.length == AuthKey.PROOF_SIZE) {
            nonces.put(by, nonce);
        }
    }

    /** The bond there may be another than the one that has told a nonce; false where none has. */
    public boolean forget(final InetSocketAddress by) {
        return nonces.remove(by) != null;
    }

    // ---- this bond is asked -----------------------------------------------------------------------------------------

    /**
     * What signs that this bond has not the session that it is asked for; null without a key for that peer. A
     * question does not show by which key it was signed, and the peer may have only one of ours: one is drawn at
     * random, and a peer that cannot read the answer asks again.
     */
    public @Nullable AuthKey strangersKey(final InetAddress peer) {
        final List<AuthKey> keys = keysOf(peer);
        return keys.isEmpty() ? null : keys.get(random.nextInt(keys.size()));
    }

    /** What another bond signs with that asks this one. */
    public byte[] nonceFor(final long asking) {
        final AuthKey secret = Objects.requireNonNull(ownSecret, "a bond without a key challenges nobody");
        return seen.nonce(asking, generation -> secret.sign(Purpose.NONCE, longs(asking, generation)));
    }

    /** Whether a REQ of that name was taken before. */
    public boolean wasTaken(final SessionId name) {
        return seen.contains(name.hi(), name.lo());
    }

    /** A REQ of that name is taken, and none of the same name again. */
    public void take(final SessionId name) {
        if (isOn) {
            seen.add(name.hi(), name.lo());
        }
    }

    /** Nobody was told of it, and its sender is to ask again: it may be taken once more. */
    public void giveBack(final SessionId name) {
        seen.remove(name.hi(), name.lo());
    }
}
