/**
 * Benchmarks: what the bond costs over the same device without it, and what the soft RNIC costs over plain UDP.
 *
 * <p>The {@code Null*} classes are a device without a wire, which completes every request at once.
 */
@NullMarked
package io.vhca.harness.bench;

import org.jspecify.annotations.NullMarked;
