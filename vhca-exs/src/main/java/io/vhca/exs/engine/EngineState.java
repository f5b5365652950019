package io.vhca.exs.engine;

/**
 * The counts of a socket, for who checks that none is lost or made: of two ends between which nothing is on its way,
 * {@code data} of one and {@code dataHeard} of the other are together what the other granted.
 *
 * @param data           data credits that are left
 * @param control        control credits that are left
 * @param dataHeard      data messages of the peer whose credits were not given back
 * @param controlHeard   other messages of the peer whose credits were not given back
 * @param unread         adverts that the peer has not acknowledged
 * @param untaken        arrivals that no receive has taken to their end
 * @param dataGranted    data credits that the peer began with
 * @param controlGranted control credits that the peer began with
 */
public record EngineState(
        int data,
        int control,
        int dataHeard,
        int controlHeard,
        int unread,
        int untaken,
        int dataGranted,
        int controlGranted) {}
