/** SMS through an SMS centre (SMPP 3.4). */
@NullMarked
package dev.reprise.endpoints.sms;

import org.jspecify.annotations.NullMarked;
