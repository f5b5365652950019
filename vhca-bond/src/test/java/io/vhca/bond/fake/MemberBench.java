package io.vhca.bond.fake;

import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.BondRuntime;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberObserver;
import io.vhca.bond.member.Members;
import io.vhca.recovery.MemoryJournal;
import io.vhca.recovery.wire.FailureReason;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The lowest layers of a bond alone: its core, and members m0, m1 ... over fake devices on networks of their own. Notes
 * what observers are told. The calling thread has the control lock.
 */
public final class MemberBench implements AutoCloseable {
    public final FakeFabric fabric = new FakeFabric();
    public final MemoryJournal journal = new MemoryJournal(1_000);
    public final BondRuntime core;
    public final Members members;
    /** What observers were told, a word each. */
    public final List<String> told = new ArrayList<>();

    private final List<FakeDevice> devices = new ArrayList<>();

    public MemberBench(final int count, final UnaryOperator<BondConfig.Builder> options) {
        for (int i = 0; i < count; i++) {
            devices.add(fabric.device("m" + i, "10." + i + ".0.1"));
        }
        core = HandCore.of(
                options.apply(BondConfig.builder("bond0")
                        .members(devices.stream().map(FakeDevice::name).toList())),
                journal);
        members = new Members(core);
        members.begin(devices.stream().map(FakeDevice::open).toList());
        members.observe(new MemberObserver() {
            @Override
            public void onDown(final Member member, final FailureReason reason, final long nowNs) {
                told.add(member.name() + " down " + reason);
            }

            @Override
            public void onUp(final Member member, final long nowNs) {
                told.add(member.name() + " up");
            }

            @Override
            public void onDied(final Member member, final long nowNs) {
                told.add(member.name() + " died");
            }

            @Override
            public void onGidMoved(final Member member) {
                told.add(member.name() + " gid moved");
            }

            @Override
            public void onForgiven(final Member member) {
                told.add(member.name() + " forgiven");
            }

            @Override
            public void onBuried(final Member member) {
                told.add(member.name() + " buried");
            }

            @Override
            public void onLeft(final Member member) {
                told.add(member.name() + " left");
            }

            @Override
            public void onListChanged() {
                told.add("list");
            }

            @Override
            public void onPreferenceChanged() {
                told.add("preference");
            }
        });
    }

    public FakeDevice device(final int index) {
        return devices.get(index);
    }

    public Member member(final int index) {
        return members.all().get(index);
    }

    /** What was told since the last call. */
    public List<String> takeTold() {
        final List<String> all = List.copyOf(told);
        told.clear();
        return all;
    }

    /** The notes of the journal. */
    public List<String> notes() {
        return journal.events().stream().map(event -> event.note()).toList();
    }

    @Override
    public void close() {
        core.close();
    }
}
