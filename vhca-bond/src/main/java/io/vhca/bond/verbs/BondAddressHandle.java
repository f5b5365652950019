package io.vhca.bond.verbs;

import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.VerbsException;
import io.vhca.bond.BondContext;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberPart;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A vAH: the address of a bond, an alias or any of its members', with a physical handle for each (own member, peer's
 * member) over which datagrams have gone. Control lock.
 */
public final class BondAddressHandle implements AddressHandle, MemberPart {
    private static final byte MULTICAST_6 = (byte) 0xFF;

    private final BondProtectionDomain pd;
    private final AhAttributes attributes;
    private final InetAddress address;
    private final long handle;
    private final Map<Key, AddressHandle> physical = new HashMap<>();
    private boolean closed;

    private record Key(Member member, InetAddress remote) {}

    BondAddressHandle(final BondProtectionDomain pd, final AhAttributes attributes) {
        this.pd = pd;
        this.attributes = attributes;
        check(pd.bond(), attributes);
        address = attributes.dgid().address();
        handle = pd.bond().datagrams().handles().allocate(pd.bond().name());
        pd.bond().datagrams().handles().put(this);
        pd.bond().parts().add(this);
    }

    private static void check(final BondContext context, final AhAttributes attributes) {
        final Gid to = attributes.dgid();
        if (attributes.portNum() != VirtualPort.NUMBER || attributes.sgidIndex() != 0 || to.isZero()) {
            throw new VerbsException(
                    "createAh", Errno.EINVAL, context.name(),
                    "port " + attributes.portNum() + ", GID index " + attributes.sgidIndex() + ", destination " + to
                            + "; a bond has port 1 with a GID at index 0, and the destination must be set");
        }
        if (to.isIpv4() ? to.address().isMulticastAddress() : (byte) (to.subnetPrefix() >>> 56) == MULTICAST_6) {
            throw new VerbsException(
                    "createAh", Errno.EOPNOTSUPP, context.name(), "multicast is not carried by a bond");
        }
    }

    /** What the application named. */
    InetAddress address() {
        return address;
    }

    /** Where the bond of that address can be reached, as far as is known. */
    public List<InetAddress> addresses() {
        final BondContext context = pd.bond();
        if (context.isOwnAddress(address)) {
            return context.members().stream().filter(Member::isPresent).map(Member::address).toList();
        }
        final List<InetAddress> listed = context.config().peers().get(address);
        return listed != null ? listed : context.peers().addressesOf(address);
    }

    /** The physical handle from a member to an address of the peer's; made when it is first used. */
    public long on(final Member member, final InetAddress remote) {
        final Key key = new Key(member, remote);
        AddressHandle known = physical.get(key);
        if (known == null) {
            known = pd.on(member)
                    .createAh(new AhAttributes(
                            Gid.of(remote), member.gidIndex(), attributes.hopLimit(),
                            attributes.trafficClass(), Member.PORT));
            physical.put(key, known);
        }
        return known.handle();
    }

    /** Of a dead device, or of one whose address changed: no vQP is on the member now. */
    @Override
    public void drop(final Member member) {
        physical.entrySet().removeIf(one -> {
            final boolean isOnIt = one.getKey().member == member;
            if (isOnIt) {
                destroy(one.getValue());
            }
            return isOnIt;
        });
    }

    private void destroy(final AddressHandle gone) {
        try {
            gone.close();
        } catch (final VerbsException e) {
            if (e.errno() != Errno.EIO) {
                throw e;
            }
            pd.bond().counters().ignored(e);
        }
    }

    @Override
    public void rebuild(final Member member) {
        // Physical handles are made when they are used.
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public long handle() {
        return handle;
    }

    @Override
    public void close() {
        final BondContext context = pd.bond();
        context.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            context.datagrams().forget(this);
            context.datagrams().handles().remove(this);
            context.parts().remove(this);
            physical.values().forEach(this::destroy);
            physical.clear();
            pd.childClosed(this);
        } finally {
            context.unlock();
        }
    }

    @Override
    public String toString() {
        return pd.bond().name() + " ah to " + address.getHostAddress();
    }
}
