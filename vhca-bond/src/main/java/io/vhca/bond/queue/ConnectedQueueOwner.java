package io.vhca.bond.queue;

/** Whom the send queue of a connected vQP tells what it finds out. Inside the queue's gate. */
public interface ConnectedQueueOwner extends QueueOwner {
    /** An atomic waits for the peer's bond, or for what is before it; told again and again. */
    void onAtomicWaiting();

    /** Requests wait for a remote key that must be asked for; told once a key. */
    void onRemoteKeyMissing(int virtualKey);
}
