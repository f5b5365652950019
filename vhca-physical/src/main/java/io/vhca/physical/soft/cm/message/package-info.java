/** CM management datagrams: their layouts, reading and writing (IB spec vol. 1, chapter 12 and annex A11). Pure. */
@NullMarked
package io.vhca.physical.soft.cm.message;

import org.jspecify.annotations.NullMarked;
