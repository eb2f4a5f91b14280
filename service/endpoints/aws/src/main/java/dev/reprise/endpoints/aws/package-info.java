/** Queues of SQS and functions of Lambda. */
@NullMarked
package dev.reprise.endpoints.aws;

import org.jspecify.annotations.NullMarked;
