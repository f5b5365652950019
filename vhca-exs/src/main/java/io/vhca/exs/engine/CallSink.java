package io.vhca.exs.engine;

/** Who is told that a call is complete: once for each, in order per direction. */
@FunctionalInterface
public interface CallSink {
    /** The call's {@link Call#bytes}, {@link Call#errno} and {@link Call#isTruncated} say how; it is reused afterwards. */
    void completed(Call call);
}
