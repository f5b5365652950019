package io.vhca.bond;

/** Whom a virtual queue tells what it finds out while it gives requests to hardware. Inside the queue's gate. */
interface QueueOwner {
    /** Requests were taken and stay here, as the gate to hardware is closed. */
    void onKeptBack();

    /** The physical QP took nothing though its queue is not full; the queue has closed its gate. */
    void onPhysicalPostRefused(int error);

    /** An atomic waits for the peer's bond, or for what is before it; told again and again. */
    void onAtomicWaiting();

    /** Requests wait for a remote key that must be asked for; told once a key. */
    void onRemoteKeyMissing(int virtualKey);
}
