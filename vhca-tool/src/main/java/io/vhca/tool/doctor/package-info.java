/** Looks at a host and says what is missing for RDMA, for soft devices and for the bonds that are configured. */
@NullMarked
package io.vhca.tool.doctor;

import org.jspecify.annotations.NullMarked;

