package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param items the documents of this part
 * @param next where the list goes on, as the parameter {@code cursor} takes it; null at its end
 * @param seen how many records were looked at for this part; absent where that is what it has
 */
public record PageDocument(
    List<?> items,
    @Nullable String next,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer seen) {}
