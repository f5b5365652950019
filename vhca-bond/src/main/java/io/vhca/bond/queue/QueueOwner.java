package io.vhca.bond.queue;

import io.vhca.bond.memory.BufferSink;
import io.vhca.bond.memory.CursorSink;
import io.vhca.bond.memory.Gate;
import io.vhca.bond.memory.GatedMemory;
import io.vhca.bond.memory.MarkedMemory;
import java.util.function.Consumer;

/** Whom a virtual queue tells what it finds out while it gives requests to hardware. Inside the queue's gate. */
public interface QueueOwner extends MarkedMemory, GatedMemory {
    /** Requests were taken and stay here, as the gate to hardware is closed. */
    void onKeptBack();

    /**
     * A post was refused that never will be taken as it is; told only where each use is checked.
     *
     * @param verb  postSend or postRecv
     * @param index of the request in its chain
     * @param error negative errno
     * @param why   the field that is wrong and what to do, or an empty text where nothing is taken in this state
     */
    void onPostRefused(String verb, int index, int error, String why);

    /** The physical QP took nothing though its queue is not full; the queue has closed its gate. */
    void onPhysicalPostRefused(int error);

    /** Its send queue. */
    SendRing sendQueue();

    /** Its receive queue. */
    VirtualRecvQueue recvQueue();

    @Override
    default void gates(final Consumer<Gate> to) {
        to.accept(sendQueue());
        to.accept(recvQueue());
    }

    @Override
    default void cursors(final CursorSink to) {
        sendQueue().cursors("vSQ", to);
        recvQueue().cursors("vRQ", to);
    }

    @Override
    default void buffers(final BufferSink to) {
        sendQueue().buffers(to);
        recvQueue().buffers(to);
    }
}
