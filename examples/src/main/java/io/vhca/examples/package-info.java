/**
 * Small programs that a newcomer reads first. They see vhca-api only: the device's name decides what runs beneath.
 *
 * <p>{@link io.vhca.examples.Hello} is a dozen lines on {@link io.vhca.examples.RdmaConnection}, which gathers the
 * verbs that every program needs; {@link io.vhca.examples.RcPingPong} and {@link io.vhca.examples.Rping} are the
 * counterparts of ibv_rc_pingpong(1) and rping(1), {@link io.vhca.examples.DevInfo} of ibv_devinfo(1).
 */
@NullMarked
package io.vhca.examples;

import org.jspecify.annotations.NullMarked;
