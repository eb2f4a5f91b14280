package dev.reprise.lab.scenario;

/**
 * A scenario of a sweep.
 *
 * @param field the path of the field that the sweep changes, such as {@code fleet.quota.rate}
 * @param value its value here: a text without its quotes, anything else as JSON
 * @param scenario with this value
 */
public record Variant(String field, String value, Scenario scenario) {}
