/** What one connection of a size class keeps count of: credits, and what a message without a header means. */
@NullMarked
package io.vhca.rdp.lane;

import org.jspecify.annotations.NullMarked;
