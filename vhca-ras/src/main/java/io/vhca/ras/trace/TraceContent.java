package io.vhca.ras.trace;

import java.util.List;
import java.util.Map;

/**
 * What a trace file had in it when it was read.
 *
 * @param bond      the bond's name
 * @param pid       of the process that wrote it
 * @param epochMs   milliseconds since 1970 at {@code nanoTime}
 * @param nanoTime  a time of the records
 * @param threads   names of threads by their ids, as far as they are known
 * @param records   by time
 * @param lost      records that were overwritten since the beginning
 */
public record TraceContent(
        String bond,
        long pid,
        long epochMs,
        long nanoTime,
        Map<Integer, String> threads,
        List<TraceRecord> records,
        long lost) {}
