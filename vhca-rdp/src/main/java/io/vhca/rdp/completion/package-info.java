/** What became of datagrams that were sent or received where the application has them. */
@NullMarked
package io.vhca.rdp.completion;

import org.jspecify.annotations.NullMarked;
