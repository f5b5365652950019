/** Who may have sockets: a file of users and groups, and what is known of a process. */
@NullMarked
package io.vhca.rdp.access;

import org.jspecify.annotations.NullMarked;
