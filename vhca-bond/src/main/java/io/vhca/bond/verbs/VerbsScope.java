package io.vhca.bond.verbs;

import io.vhca.api.Context;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.OpenObjects;
import io.vhca.bond.link.DatagramPeers;
import io.vhca.bond.member.BondLimits;
import io.vhca.bond.member.Members;
import io.vhca.bond.queue.LocalKeys;

/**
 * What the objects of one open bond are made of; each takes from it what it needs when it is created.
 *
 * @param context  the bond as the application knows it
 * @param children what the application has created and not closed yet
 * @param factory  creates queue pairs of any type
 */
public record VerbsScope(
        Context context,
        BondCore core,
        Members members,
        BondLimits limits,
        LocalKeys keys,
        QpTable qps,
        SharedQueues shared,
        AddressHandles handles,
        DatagramPeers peers,
        OpenObjects children,
        QueuePairFactory factory) {}
