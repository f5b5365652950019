package io.vhca.physical.soft.cm.message;

/**
 * One end of a connection.
 *
 * @param qpNum the queue pair's number
 * @param psn   the first PSN that this end expects
 */
public record QpEnd(int qpNum, int psn) {}
