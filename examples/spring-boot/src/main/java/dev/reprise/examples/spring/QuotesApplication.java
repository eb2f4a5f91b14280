package dev.reprise.examples.spring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Asks another service for a quote, and shows its retries at {@code /actuator/reprise}. */
@SpringBootApplication
public class QuotesApplication {
  /** Starts the application. */
  public static void main(String[] args) {
    SpringApplication.run(QuotesApplication.class, args);
  }
}
