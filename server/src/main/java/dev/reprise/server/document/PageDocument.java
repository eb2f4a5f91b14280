package dev.reprise.server.document;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param items the documents of this part
 * @param next where the list goes on, as the parameter {@code cursor} takes it; null at its end
 */
public record PageDocument(List<?> items, @Nullable String next) {}
