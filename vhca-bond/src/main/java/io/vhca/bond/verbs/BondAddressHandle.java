package io.vhca.bond.verbs;

import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.DatagramPeers;
import io.vhca.bond.member.BondLimits;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberPart;
import io.vhca.bond.member.Members;
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
    private final BondCore core;
    private final Members members;
    private final DatagramPeers peers;
    private final AddressHandles handles;
    private final AhAttributes attributes;
    private final InetAddress address;
    private final long handle;
    private final Map<Key, AddressHandle> physical = new HashMap<>();
    private boolean closed;

    private record Key(Member member, InetAddress remote) {}

    BondAddressHandle(final BondProtectionDomain pd, final AhAttributes attributes) {
        this.pd = pd;
        this.attributes = attributes;
        core = pd.scope().core();
        members = pd.scope().members();
        peers = pd.scope().peers();
        handles = pd.scope().handles();
        check(core.name(), attributes);
        address = attributes.dgid().address();
        handle = handles.allocate(core.name());
        handles.put(this);
        members.addPart(this);
    }

    /** What is wrong with an address vector that a bond is given; empty when nothing is. */
    static String judge(final AhAttributes attributes) {
        final Gid to = attributes.dgid();
        final boolean isRight = attributes.portNum() == BondLimits.PORT
                && attributes.sgidIndex() == 0
                && !to.address().isAnyLocalAddress();
        return isRight
                ? attributes.fault()
                : "port " + attributes.portNum() + ", GID index " + attributes.sgidIndex() + ", destination " + to
                        + "; a bond has port 1 with a GID at index 0, and the destination must be set";
    }

    private static void check(final String bond, final AhAttributes attributes) {
        final String wrong = judge(attributes);
        if (!wrong.isEmpty()) {
            throw new VerbsException("createAh", Errno.EINVAL, bond, wrong);
        }
        final Gid to = attributes.dgid();
        if (to.isIpv4() ? to.address().isMulticastAddress() : (byte) (to.subnetPrefix() >>> 56) == MULTICAST_6) {
            throw new VerbsException(
                    "createAh", Errno.EOPNOTSUPP, bond, "multicast is not carried by a bond");
        }
    }

    /** What the application named. */
    InetAddress address() {
        return address;
    }

    /** Where the bond of that address can be reached, as far as is known. */
    public List<InetAddress> addresses() {
        if (members.isOwnAddress(address)) {
            return members.all().stream().filter(Member::isPresent).map(Member::address).toList();
        }
        final List<InetAddress> listed = core.config().peers().get(address);
        return listed != null ? listed : peers.addressesOf(address);
    }

    /** Whether it is the bond of that address who answers from there: others may have its other addresses by now. */
    public boolean leadsTo(final long instance, final InetAddress from) {
        return from.equals(address)
                || members.isOwnAddress(address)
                || core.config().peers().containsKey(address)
                || peers.isNamed(instance, address);
    }

    /** The physical handle from a member to an address of the peer's; made when it is first used. */
    public long on(final Member member, final InetAddress remote) {
        final Key key = new Key(member, remote);
        AddressHandle known = physical.get(key);
        if (known == null) {
            known = pd.on(member)
                    .createAh(new AhAttributes(
                            Gid.of(remote), member.gidIndex(), attributes.hopLimit(),
                            attributes.trafficClass(), Member.PORT, attributes.serviceLevel()));
            physical.put(key, known);
            core.onMember(member.name(), known, 1);
        }
        return known.handle();
    }

    /** Of a dead device, or of one whose address changed: no vQP is on the member now. */
    @Override
    public void drop(final Member member) {
        physical.entrySet().removeIf(one -> {
            final boolean isOnIt = one.getKey().member == member;
            if (isOnIt) {
                destroy(member, one.getValue());
            }
            return isOnIt;
        });
    }

    private void destroy(final Member member, final AddressHandle gone) {
        core.onMember(member.name(), gone, -1);
        try {
            gone.close();
        } catch (final VerbsException e) {
            core.counters().ignoredOfDead(e);
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
        core.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            handles.remove(this);
            members.removePart(this);
            physical.forEach((key, one) -> destroy(key.member(), one));
            physical.clear();
            pd.childClosed(this);
        } finally {
            core.unlock();
        }
    }

    @Override
    public String toString() {
        return core.name() + " ah to " + address.getHostAddress();
    }
}
