package dev.reprise.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;

import dev.reprise.spring.RepriseProperties.NamedRetry;
import dev.reprise.testkit.ScriptedOperation;
import java.net.ConnectException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.SourceFile;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.javapoet.ClassName;

/**
 * The starter works from the code that Spring generates ahead of time, as a native image has it.
 */
class AheadOfTimeTest {
  private final TestGenerationContext generation = new TestGenerationContext();

  private static TestPropertyValues properties() {
    return TestPropertyValues.of(
        Map.of(
            "reprise.retry.payment-api.max-attempts", "2",
            "reprise.retry.payment-api.backoff.type", "none"));
  }

  private ClassName generate() {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    properties().applyTo(context);
    context.register(RepriseAutoConfiguration.class, Bank.class);
    return new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
  }

  @Test
  @Tag("slow")
  @CompileWithForkedClassLoader
  @SuppressWarnings("unchecked")
  void theGeneratedContextRetries() {
    ClassName initializer = generate();
    generation.writeGeneratedContent();
    TestCompiler.forSystem()
        .with(generation)
        .compile(
            compiled -> {
              try (GenericApplicationContext context = new GenericApplicationContext()) {
                properties().applyTo(context);
                compiled
                    .getInstance(ApplicationContextInitializer.class, initializer.canonicalName())
                    .initialize(context);
                context.refresh();

                Bank bank = context.getBean(Bank.class);
                assertThat(bank.book()).isEqualTo("booked");
                assertThat(context.getBeanNamesForType(RetryRegistry.class)).hasSize(1);
                assertThat(context.containsBean("paymentApiRetry")).isTrue();
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
  }

  @Test
  void whatIsReadByReflectionIsHinted() {
    generate();

    RuntimeHints hints = generation.getRuntimeHints();
    assertThat(hints)
        .matches(
            reflection()
                .onType(NamedRetry.class)
                .withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS));
    // The names of the properties are those of its components.
    assertThat(hints)
        .matches(
            reflection()
                .onType(NamedRetry.class)
                .withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS));
  }

  @Test
  @Tag("slow")
  void whatTheClassifierReadsOfALibraryIsHintedWhereItIs() {
    String present = "com.rabbitmq.client.ShutdownSignalException";
    TestCompiler.forSystem()
        .withSources(
            SourceFile.of(
                "package com.rabbitmq.client;"
                    + " public class ShutdownSignalException extends RuntimeException {"
                    + " public boolean isHardError() { return true; } }"))
        .compile(
            compiled -> {
              RuntimeHints hints = new RuntimeHints();
              new RepriseRuntimeHints().registerHints(hints, compiled.getClassLoader());
              assertThat(hints)
                  .matches(
                      reflection()
                          .onType(TypeReference.of(present))
                          .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS));
              assertThat(hints.reflection().typeHints())
                  .noneMatch(hint -> hint.getType().getName().startsWith("io.grpc."));
            });
  }

  /** Of one bean with a method that fails once. */
  public static class Bank {
    private final ScriptedOperation<String> script =
        new ScriptedOperation<String>().fails(1, ConnectException::new).succeeds("booked");

    @RetryWith("payment-api")
    public String book() throws Exception {
      return script.call();
    }
  }
}
