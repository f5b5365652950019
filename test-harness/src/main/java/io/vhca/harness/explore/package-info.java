/**
 * Two recovery machines of the product, their bonds and the network reduced to what recovery sees of them, and every
 * order of what can happen to them: each state once. Top down: the job, the explorer, the world, the ends, the
 * machine's image.
 */
@NullMarked
package io.vhca.harness.explore;

import org.jspecify.annotations.NullMarked;
