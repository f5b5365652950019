/** Files and directories that other users of the host may have had a hand in. */
@NullMarked
package io.vhca.ras.file;

import org.jspecify.annotations.NullMarked;
