/** What drivers of this user's processes tell others of themselves: a file each, in text. */
@NullMarked
package io.vhca.rdp.status;

import org.jspecify.annotations.NullMarked;
