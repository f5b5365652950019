/** The queues that applications post to and poll: send and receive queues, SRQs, CQs, and the layout of their slots. */
@NullMarked
package io.vhca.physical.soft.engine.queue;

import org.jspecify.annotations.NullMarked;
