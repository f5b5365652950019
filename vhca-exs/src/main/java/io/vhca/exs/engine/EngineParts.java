package io.vhca.exs.engine;

/** What both halves of a socket share. */
record EngineParts(
        boolean isPackets,
        EngineSizes sizes,
        Port port,
        CallSink sink,
        SentWork work,
        Credits credits,
        Outgoing outgoing) {}
