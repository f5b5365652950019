package io.vhca.harness.exs;

import io.vhca.exs.engine.Port;
import io.vhca.exs.engine.PortTap;
import io.vhca.exs.wire.MessageDescriptor;

/** One way in which extended sockets are broken on purpose, to see that the checks notice. */
public enum ExsMutation {
    /** Nothing is broken. */
    NONE {
        @Override
        public PortTap plant() {
            return PortTap.NONE;
        }
    },
    /** What is READ of an advert is what the advert before it named. */
    ADVERT_MATCHED_TWICE {
        @Override
        public PortTap plant() {
            return port -> new Broken(port) {
                private long last;

                @Override
                public void postRead(
                        final long address, final int lkey, final int length, final long remote, final int rkey) {
                    super.postRead(address, lkey, length, last == 0 ? remote : last, rkey);
                    last = remote;
                }
            };
        }
    },
    /** An advert is acknowledged while it is being READ. */
    ACK_TOO_EARLY {
        @Override
        public PortTap plant() {
            return port -> new Broken(port) {
                private int matched;

                @Override
                public void postRead(
                        final long address, final int lkey, final int length, final long remote, final int rkey) {
                    matched++;
                    super.postRead(address, lkey, length, remote, rkey);
                }

                @Override
                void said(final long at) {
                    final int acked = MessageDescriptor.acked(at);
                    MessageDescriptor.writeReturns(
                            at, MessageDescriptor.dataCredits(at), MessageDescriptor.controlCredits(at),
                            matched > acked ? acked + 1 : acked);
                }
            };
        }
    },
    /** A credit is not given back. */
    CREDIT_LOST {
        @Override
        public PortTap plant() {
            return port -> new Broken(port) {
                @Override
                void said(final long at) {
                    MessageDescriptor.writeReturns(
                            at, Math.max(0, MessageDescriptor.dataCredits(at) - 1),
                            MessageDescriptor.controlCredits(at), MessageDescriptor.acked(at));
                }
            };
        }
    },
    /** A READ takes a byte more than the advert names. */
    READ_PAST_ADVERT {
        @Override
        public PortTap plant() {
            return port -> new Broken(port) {
                @Override
                public void postRead(
                        final long address, final int lkey, final int length, final long remote, final int rkey) {
                    super.postRead(address, lkey, length + 1, remote, rkey);
                }
            };
        }
    };

    /** What is put between sockets and queue pairs; once a simulation. */
    public abstract PortTap plant();

    /** Lets everything through. */
    private static class Broken implements Port {
        private final Port port;

        Broken(final Port port) {
            this.port = port;
        }

        /** A message is about to go out. */
        void said(final long at) {
            // as it is
        }

        @Override
        public long messageAddress(final int slot) {
            return port.messageAddress(slot);
        }

        @Override
        public void postMessage(final int slot, final int lengthBytes, final boolean isSignaled) {
            said(port.messageAddress(slot));
            port.postMessage(slot, lengthBytes, isSignaled);
        }

        @Override
        public void postRead(
                final long address, final int lkey, final int length, final long remote, final int rkey) {
            port.postRead(address, lkey, length, remote, rkey);
        }

        @Override
        public void postWrite(
                final long address, final int lkey, final int length, final long remote, final int rkey) {
            port.postWrite(address, lkey, length, remote, rkey);
        }

        @Override
        public void postWriteWithImm(
                final long address, final int lkey, final int length, final long remote, final int rkey,
                final int imm) {
            port.postWriteWithImm(address, lkey, length, remote, rkey, imm);
        }

        @Override
        public void postProbe() {
            port.postProbe();
        }

        @Override
        public void postReceive(final int slot) {
            port.postReceive(slot);
        }
    }
}
