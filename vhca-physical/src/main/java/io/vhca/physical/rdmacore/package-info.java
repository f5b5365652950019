/**
 * Bindings of libibverbs and librdmacm, written by jextract from {@code src/main/jextract/rdma_core.h}: do not edit.
 * The Maven profile {@code jextract} writes them anew. The C library's own names and pointers, unchecked; only
 * {@code io.vhca.physical.verbs} uses them.
 */
package io.vhca.physical.rdmacore;
