/**
 * The description of the API in OpenAPI, made of the routes, the records of answers, the settings
 * of subscriptions, and the descriptions of operations in this room.
 */
@NullMarked
package dev.reprise.server.openapi;

import org.jspecify.annotations.NullMarked;
