/** Reliability, availability, serviceability: what a bond shows and writes down; found by ServiceLoader. */
@NullMarked
package io.vhca.ras;

import org.jspecify.annotations.NullMarked;
