package io.vhca.bond.link;

import io.vhca.bond.queue.RemoteKeys;
import io.vhca.bond.wire.QpNumDescriptor;
import io.vhca.recovery.wire.Agreement;
import io.vhca.recovery.wire.MemberAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * Another bond: where its members live and what their keys are. Its instance id alone does not make two callers one
 * bond, since every peer of a bond knows that; {@link Peers} has who is who. Control lock.
 */
public final class Peer {
    /** Where it was met, as far as is remembered. */
    private static final int MOST_MET = 64;

    private final long instance;
    private final @Nullable RemoteKeys[] keys = new RemoteKeys[QpNumDescriptor.MAX_MEMBERS];
    private final List<MemberAddress> members = new ArrayList<>();
    private final SequencedSet<InetAddress> met = new LinkedHashSet<>();
    private final SequencedSet<InetAddress> listed = new LinkedHashSet<>();
    private final @Nullable Peers among;
    private int holders;
    private boolean toldAll;
    private int tellings;
    private boolean wasHeard;
    private long heardNs;
    private Agreement agreement = Agreement.LEAST;

    /** One that nobody else needs to find. */
    public Peer(final long instance) {
        this(instance, null);
    }

    Peer(final long instance, final @Nullable Peers among) {
        this.instance = instance;
        this.among = among;
    }

    /** A vQP or a link is the peer's: it is remembered as long. */
    public void hold() {
        if (holders++ == 0 && among != null) {
            among.held(this);
        }
    }

    /** Whether a vQP or a link is the peer's. */
    public boolean isHeld() {
        return holders > 0;
    }

    /** The end of what {@link #hold} began. */
    public void release() {
        assert holders > 0 : "it was not held";
        if (--holders == 0 && among != null) {
            among.released(this);
        }
    }

    public long instance() {
        return instance;
    }

    /**
     * The keys for a connection to one of the peer's members; what is known of another coming of its device is dropped.
     *
     * @param generation as the peer's record for this connection says
     */
    public RemoteKeys keys(final int member, final int generation) {
        final RemoteKeys known = keys[member];
        if (known != null && known.generation() == generation) {
            return known;
        }
        final RemoteKeys fresh = new RemoteKeys(generation);
        keys[member] = fresh;
        return fresh;
    }

    /**
     * The peer says what a virtual key is on one of its members. Only connections tell which coming of the device
     * counts: an answer may be older than them.
     */
    public void heardKey(final int member, final int generation, final int virtualKey, final int rkey) {
        final RemoteKeys known = keys[member];
        if (known == null || known.generation() == generation) {
            keys(member, generation).put(virtualKey, rkey);
        }
    }

    /** True when the keys are those that a new connection to the member would use. */
    public boolean isCurrent(final int member, final RemoteKeys of) {
        return keys[member] == of;
    }

    /** The peer deregistered a region. */
    public void forgetKey(final int virtualKey) {
        for (final RemoteKeys known : keys) {
            if (known != null) {
                known.remove(virtualKey);
            }
        }
    }

    /** The link that told of keys is over: they are asked for anew. */
    public void forgetKeys() {
        for (final RemoteKeys known : keys) {
            if (known != null) {
                known.clear();
            }
        }
    }

    /** The peer's members as last heard. */
    public List<MemberAddress> members() {
        return members;
    }

    /** Takes what the peer's bond says of its members; an index heard again replaces what was known. */
    public void heard(final List<MemberAddress> list) {
        for (final MemberAddress heard : list) {
            members.removeIf(known -> known.member() == heard.member());
            members.add(heard);
        }
    }

    /** The peer's bond says what all of its members are: others are members no more. */
    public void told(final List<MemberAddress> all) {
        toldAll = true;
        tellings++;
        members.clear();
        members.addAll(all);
        if (among != null) {
            among.told(this);
        }
    }

    /**
     * Where this end looked for it: as configured, or where it was before. It named the members that it had when it
     * answered; one that it gets later is there too, and the path may die before it could say so.
     */
    public void listedAt(final List<InetAddress> addresses) {
        for (final InetAddress address : addresses) {
            if (listed.size() < MOST_MET) {
                listed.add(address);
            }
        }
    }

    /** Where it may be besides its members; empty once it has said what all of them are. */
    public Collection<InetAddress> listed() {
        return toldAll ? List.of() : listed;
    }

    /** How often the peer's bond has said so. */
    public int tellings() {
        return tellings;
    }

    /** False for an address that is none of those that the peer's bond has named, once it has. */
    public boolean mayBeAt(final InetAddress address) {
        return !toldAll || names(address);
    }

    /** Whether it was met at the address, or has named it, and may be there still. */
    boolean isAt(final InetAddress address) {
        return mayBeAt(address) && (met.contains(address) || names(address));
    }

    /** Every address that it was met at, as far as is remembered. */
    SequencedSet<InetAddress> met() {
        return met;
    }

    /** Another bond is there. */
    void isNoMoreAt(final InetAddress address) {
        met.remove(address);
        if (among != null) {
            among.metNoMore(address, this);
        }
    }

    /** Whether it has a member wherever the other bond has one. */
    boolean hasAllOf(final Peer other) {
        return other.members.stream().allMatch(member -> names(member.inetAddress()));
    }

    private boolean names(final InetAddress address) {
        return members.stream().anyMatch(member -> member.inetAddress().equals(address));
    }

    /** Whether a connection was made to the address, or from it: others may be named by whoever wants to. */
    boolean isMetAt(final InetAddress address) {
        return mayBeAt(address) && met.contains(address);
    }

    /** A REQ of a recovery, of whichever queue pair, was answered there, be it by no; or a REQ came from there. */
    public void answers(final long nowNs) {
        wasHeard = true;
        heardNs = nowNs;
    }

    /** True when it did so within the time: then there is a path to it, for whichever queue pair. */
    public boolean isHeardWithin(final long timeNs, final long nowNs) {
        return wasHeard && nowNs - heardNs < timeNs;
    }

    /** What both bonds can do, as a handshake with it said: the same in each, for an instance is one start. */
    public void agreed(final Agreement heard) {
        agreement = heard;
    }

    /** What both bonds can do. */
    public Agreement agreement() {
        return agreement;
    }

    /** A connection goes to that address. */
    public void metAt(final InetAddress address) {
        met.addLast(address);
        final InetAddress oldest = met.size() > MOST_MET ? met.removeFirst() : null;
        if (among != null && oldest != null) {
            among.metNoMore(oldest, this);
        }
        if (among != null) {
            among.metAt(address, this);
        }
    }

    /** A connection comes from that address: one of a member's, as long as the bond has not said what all are. */
    public void heardFrom(final int member, final InetAddress address) {
        metAt(address);
        if (!toldAll) {
            heard(List.of(new MemberAddress(member, address.getAddress())));
        }
    }
}
