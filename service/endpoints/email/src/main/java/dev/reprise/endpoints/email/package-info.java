/** Email through a mail relay (SMTP). */
@NullMarked
package dev.reprise.endpoints.email;

import org.jspecify.annotations.NullMarked;
