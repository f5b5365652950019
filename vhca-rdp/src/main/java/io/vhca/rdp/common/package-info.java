/** What all parts of a driver share: its options and its counters. */
@NullMarked
package io.vhca.rdp.common;

import org.jspecify.annotations.NullMarked;
