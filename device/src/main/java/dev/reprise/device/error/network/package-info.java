/**
 * One class for each error of the network and of TLS in the table. Those of the network are called
 * {@code Network...}, for the JDK has names such as {@code UnknownHostException}.
 */
@NullMarked
package dev.reprise.device.error.network;

import org.jspecify.annotations.NullMarked;
