package io.vhca.bond.queue;

import io.vhca.bond.memory.MarkedMemory;

/** Whom a virtual queue tells what it finds out while it gives requests to hardware. Inside the queue's gate. */
public interface QueueOwner extends MarkedMemory {
    /** Requests were taken and stay here, as the gate to hardware is closed. */
    void onKeptBack();

    /** The physical QP took nothing though its queue is not full; the queue has closed its gate. */
    void onPhysicalPostRefused(int error);
}
