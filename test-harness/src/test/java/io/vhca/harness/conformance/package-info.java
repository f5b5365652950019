/**
 * The verbs conformance suite: what every device of every provider does alike.
 *
 * <p>The abstract classes hold the tests; a device joins by extending each with a {@link
 * io.vhca.harness.conformance.DevicePair} of its own. Waiting is polling with a deadline.
 */
@NullMarked
package io.vhca.harness.conformance;

import org.jspecify.annotations.NullMarked;
