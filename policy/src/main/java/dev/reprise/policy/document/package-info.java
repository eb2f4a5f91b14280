/**
 * Fields of a document, each described once: reader, writer, schema and reference follow from
 * {@link ObjectType} and {@link Field}. For policies, and for other documents that hold some.
 */
@NullMarked
package dev.reprise.policy.document;

import org.jspecify.annotations.NullMarked;
