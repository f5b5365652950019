/**
 * The provider {@code verbs}: the devices of libibverbs, with librdmacm as connection manager, called through FFM.
 *
 * <p>The data path is the C library's own: post, poll and arm go straight to the provider's function of the context's
 * operations table, with the flyweights' addresses. Everything else is a control call with errno captured.
 */
@NullMarked
package io.vhca.physical.verbs;

import org.jspecify.annotations.NullMarked;
