/**
 * What one connection of a size class keeps count of: credits, whose turn it is, and what a message without a header
 * means.
 */
@NullMarked
package io.vhca.rdp.lane;

import org.jspecify.annotations.NullMarked;
