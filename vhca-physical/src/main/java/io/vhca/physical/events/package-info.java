/** What soft and verbs devices share: events on their way to whoever waits for them. */
@NullMarked
package io.vhca.physical.events;

import org.jspecify.annotations.NullMarked;
