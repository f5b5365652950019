package io.vhca.bond.queue;

import java.util.ArrayList;
import java.util.List;

/** Remembers what a virtual queue told. */
final class FakeQueueOwner implements ConnectedQueueOwner {
    final List<Integer> refusals = new ArrayList<>();
    final List<String> refusedPosts = new ArrayList<>();
    final List<Integer> missingKeys = new ArrayList<>();

    int keptBack;
    int atomicsWaiting;
    boolean isWhole = true;
    int overruns;

    @Override
    public boolean isWhole() {
        return isWhole;
    }

    @Override
    public String damage() {
        return isWhole ? "" : "broken";
    }

    @Override
    public List<String> map() {
        return List.of();
    }

    @Override
    public void onOverrun() {
        overruns++;
    }

    @Override
    public SendRing sendQueue() {
        throw new UnsupportedOperationException("it is asked by who dumps");
    }

    @Override
    public VirtualRecvQueue recvQueue() {
        throw new UnsupportedOperationException("it is asked by who dumps");
    }

    @Override
    public void onPostRefused(final String verb, final int index, final int error, final String why) {
        refusedPosts.add(verb + " " + index + " " + error + " " + why);
    }

    @Override
    public void onKeptBack() {
        keptBack++;
    }

    @Override
    public void onPhysicalPostRefused(final int error) {
        refusals.add(error);
    }

    @Override
    public void onAtomicWaiting() {
        atomicsWaiting++;
    }

    @Override
    public void onRemoteKeyMissing(final int virtualKey) {
        missingKeys.add(virtualKey);
    }
}
