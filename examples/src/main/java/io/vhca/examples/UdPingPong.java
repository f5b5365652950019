package io.vhca.examples;

import picocli.CommandLine.Command;

/** The counterpart of ibv_ud_pingpong(1): two UD queue pairs whose numbers travel over TCP. */
@Command(
        name = "ud_pingpong",
        mixinStandardHelpOptions = true,
        description = {
            "Sends datagrams to and fro, as ibv_ud_pingpong does; either end may be that program.",
            "",
            "A datagram that is lost ends the game: nothing sends it again. It fits into one packet, --size must not be"
                    + " more than the port's MTU."
        },
        footer = {
            "",
            "Examples:",
            "  ud_pingpong --device soft0 --server -s 1024      wait for a client on TCP port 18515",
            "  ud_pingpong --device soft1 -s 1024 127.0.0.1     be that client",
            "",
            "Exit code: 0 when every message arrived, 1 when not, 2 for wrong arguments, 3 when the"
                    + " device cannot be had."
        })
public final class UdPingPong extends RcPingPong {
    public static void main(final String[] args) {
        System.exit(execute(new UdPingPong(), args));
    }

    @Override
    boolean isDatagram() {
        return true;
    }
}
