/**
 * The C libraries under the verbs devices: calls of libibverbs, librdmacm and the C library, the layouts of what they
 * take and give, waiting for their file descriptors. It knows no object of vhca-api but values.
 */
@NullMarked
package io.vhca.physical.verbs.lib;

import org.jspecify.annotations.NullMarked;
