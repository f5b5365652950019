/**
 * The reliable connection: requester and completer on the side that sends requests, responder on the other (IB spec
 * vol. 1, 9.7).
 */
@NullMarked
package io.vhca.physical.soft.engine.rc;

import org.jspecify.annotations.NullMarked;
