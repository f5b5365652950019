/** The interface between the transport engine and what carries its packets. */
@NullMarked
package io.vhca.physical.soft.carrier;

import org.jspecify.annotations.NullMarked;
