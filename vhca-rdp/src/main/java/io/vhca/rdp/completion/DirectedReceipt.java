package io.vhca.rdp.completion;

import java.net.InetSocketAddress;

/**
 * What became of memory that was offered by a tag: it is the application's again.
 *
 * @param lengthBytes what was placed there, from its begin on; 0 where nothing was
 * @param isWithdrawn nothing was, and nothing will be: the content is undefined
 */
public record DirectedReceipt(long tag, int lengthBytes, InetSocketAddress from, boolean isWithdrawn) {}
