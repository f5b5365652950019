package io.vhca.exs.engine;

/**
 * Who is told that a call is complete: once for each, in order per direction. The call's {@link Call#bytes},
 * {@link Call#errno} and {@link Call#isTruncated} say how; its object is used again afterwards, so it must have been
 * read before the engine is given another call.
 */
public interface CallSink {
    /** A send is complete: its memory is the caller's again. */
    void sent(Call call);

    /** A receive is complete: what it took is in its memory. */
    void received(Call call);
}
