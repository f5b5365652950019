/** What drivers say to each other, byte by byte. Layouts only. */
@NullMarked
package io.vhca.rdp.wire;

import org.jspecify.annotations.NullMarked;
