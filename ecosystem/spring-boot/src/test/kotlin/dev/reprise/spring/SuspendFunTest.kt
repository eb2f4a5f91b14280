package dev.reprise.spring

import dev.reprise.testkit.ScriptedOperation
import dev.reprise.testkit.VirtualTime
import java.lang.reflect.Proxy
import java.net.ConnectException
import java.util.concurrent.CompletableFuture
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.emptyFlow
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.reactor.asCoroutineContext
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.transaction.TransactionDefinition
import org.springframework.transaction.annotation.EnableTransactionManagement
import org.springframework.transaction.annotation.Transactional
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager
import org.springframework.transaction.reactive.GenericReactiveTransaction
import org.springframework.transaction.reactive.TransactionSynchronizationManager
import reactor.core.publisher.Mono
import reactor.util.context.Context

/** Kotlin's own forms of a method whose result comes later. */
class SuspendFunTest {
  private val time = VirtualTime()
  private val runner =
      ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(RepriseAutoConfiguration::class.java))
          .withBean(
              RetryCustomizer::class.java,
              { RetryCustomizer { _, builder -> builder.time(time).executor(time.executor()) } })
          .withPropertyValues("reprise.retry.search.max-attempts=3")

  @Test
  fun aSuspendFunIsTriedAgain() = withBean<Client> { client ->
    client.script().fails(2, ::ConnectException).succeeds("found")
    assertThat(outcome { client.find("word") }.getOrThrow()).isEqualTo("found")
    assertThat(client.words()).containsExactly("word", "word", "word")
    assertThat(time.waits()).hasSize(2)
  }

  @Test
  fun theCallerGetsTheLastFailureOfASuspendFun() = withBean<Client> { client ->
    val last = ConnectException("refused")
    client.script().failsAlways { last }
    val thrown = outcome { client.find("word") }.exceptionOrNull()
    // Where assertions are on, coroutines throw a copy, whose cause is the original.
    assertThat(thrown).isExactlyInstanceOf(ConnectException::class.java).hasMessage("refused")
    assertThat(generateSequence(thrown) { it.cause }.last()).isSameAs(last)
    assertThat(client.script().calls()).isEqualTo(3)
  }

  @Test
  fun aFailureThatIsNotClassifiedIsNotTriedAgain() = withBean<Client> { client ->
    client.script().failsAlways { IllegalStateException("a mistake") }
    assertThat(outcome { client.find("word") }.exceptionOrNull())
        .isExactlyInstanceOf(IllegalStateException::class.java)
    assertThat(client.script().calls()).isEqualTo(1)
  }

  @Test
  fun aSuspendFunMayReturnNothing() = withBean<Client> { client ->
    client.script().fails(1, ::ConnectException).succeeds("done")
    assertThat(outcome { client.send() }.isSuccess).isTrue()
    client.script().succeeds("none")
    assertThat(outcome { client.findOrNull() }.getOrThrow()).isNull()
    assertThat(client.script().calls()).isEqualTo(3)
  }

  @Test
  fun everyAttemptHasTheContextOfTheCaller() = withBean<Client> { client ->
    client.script().fails(2, ::ConnectException).succeeds("found")
    val found = outcome {
      withContext(Context.of("user", "ann").asCoroutineContext() + CoroutineName("caller")) {
        client.find("word")
      }
    }
    assertThat(found.getOrThrow()).isEqualTo("found")
    assertThat(client.contexts()).containsExactly("ann caller", "ann caller", "ann caller")
  }

  @Test
  fun everyAttemptHasATransactionOfItsOwn() {
    runner
        .withUserConfiguration(Transactions::class.java)
        .withBean(Bank::class.java)
        .run { context ->
          val bank = context.getBean(Bank::class.java)
          bank.script().fails(1, ::ConnectException).succeeds("booked")
          assertThat(outcome { bank.book() }.getOrThrow()).isEqualTo("booked")
          assertThat(bank.transactions()).containsExactly(true, true)
          assertThat(context.getBean(RecordingTransactions::class.java).events)
              .containsExactly("begin", "rollback", "begin", "commit")
        }
  }

  @Test
  fun cancellingTheCallerCancelsTheAttempt() = withBean<Client> { client ->
    runBlocking {
      val call = launch { client.hang(Long.MAX_VALUE) }
      client.hanging().await()
      call.cancelAndJoin()
      client.cancelled().await()
      time.runUntilIdle(100)
    }
    assertThat(client.script().calls()).isZero()
  }

  @Test
  fun cancellingTheCallerCancelsTheWait() = withBean<Client> { client ->
    client.script().failsAlways(::ConnectException)
    runBlocking {
      val call = launch { client.find("word") }
      while (time.pending() == 0) {
        yield()
      }
      call.cancelAndJoin()
      time.runUntilIdle(100)
      yield()
    }
    assertThat(time.pending()).isZero()
    assertThat(client.script().calls()).isEqualTo(1)
  }

  @Test
  fun aTimeoutWithinTheAttemptReachesTheCaller() = withBean<Client> { client ->
    // It is a cancellation, which is never tried again; attempt-timeout is.
    assertThat(outcome { client.hang(1) }.exceptionOrNull())
        .isInstanceOf(TimeoutCancellationException::class.java)
    assertThat(client.cancelled().isCompleted).isTrue()
  }

  @Test
  fun aSuspendFunBehindAProxyOfItsInterfaceIsTriedAgain() {
    runner.withBean("finder", WordFinder::class.java).run { context ->
      val finder = context.getBean(Finder::class.java)
      assertThat(Proxy.isProxyClass(finder.javaClass)).isTrue()
      @Suppress("UNCHECKED_CAST") val words = finder as Finder<String>
      words.script().fails(2, ::ConnectException).succeeds("found")
      assertThat(outcome { words.find() }.getOrThrow()).isEqualTo("found")
      assertThat(words.script().calls()).isEqualTo(3)
    }
  }

  @Test
  fun theAnnotationOfAClassHoldsForSuspendFuns() = withBean<Annotated> { client ->
    client.script().fails(2, ::ConnectException).succeeds("found")
    assertThat(outcome { client.find() }.getOrThrow()).isEqualTo("found")
    assertThat(client.script().calls()).isEqualTo(3)
  }

  @Test
  fun aResultThatIsNotThereYetFailsTheStart() {
    val ofFun = "must not return "
    val ofSuspendFun = "is a suspend fun and must not return "
    assertThat(refusal<FlowOfFun>()).contains(ofFun + "Flow, whose failures", "on a suspend fun")
    assertThat(refusal<DeferredOfFun>()).contains(ofFun + "Deferred, ", "make the method a suspend")
    assertThat(refusal<SequenceOfFun>()).contains(ofFun + "Sequence, ", "return a List")
    assertThat(refusal<FlowOfSuspendFun>())
        .contains(ofSuspendFun + "kotlinx.coroutines.flow.Flow, ", "collect it within the method")
    assertThat(refusal<MonoOfSuspendFun>()).contains(ofSuspendFun + "reactor.core.publisher.Mono, ")
    assertThat(refusal<FutureOfSuspendFun>())
        .contains(ofSuspendFun + "java.util.concurrent.CompletableFuture, ", "await it within")
  }

  @Test
  fun aResultOfAnyTypeIsJudgedWhenItComes() = withBean<AnyOfSuspendFun> { client ->
    assertThat(outcome { client.find(emptyFlow<String>()) }.exceptionOrNull())
        .isInstanceOf(IllegalStateException::class.java)
        .hasMessageContaining("AnyOfSuspendFun.find")
        .hasMessageContaining("has returned a kotlinx.coroutines.flow.EmptyFlow, ")
    assertThat(outcome { client.find("found") }.getOrThrow()).isEqualTo("found")
  }

  private inline fun <reified T : Any> withBean(crossinline use: (T) -> Unit) {
    runner.withBean(T::class.java).run { context -> use(context.getBean(T::class.java)) }
  }

  private inline fun <reified T : Any> refusal(): String? {
    var message: String? = null
    runner.withBean(T::class.java).run { context -> message = context.startupFailure?.message }
    return message
  }

  /** Calls, and lets virtual time pass whenever nobody has anything to do. */
  private fun <T> outcome(call: suspend () -> T): Result<T> = runBlocking {
    supervisorScope {
      val outcome = async { call() }
      while (!outcome.isCompleted) {
        yield()
        time.runUntilIdle(100)
      }
      runCatching { outcome.await() }
    }
  }

  open class Client {
    private val script = ScriptedOperation<String>()
    private val words = mutableListOf<String>()
    private val contexts = mutableListOf<String>()
    private val hanging = CompletableDeferred<Unit>()
    private val cancelled = CompletableDeferred<Unit>()

    // Functions, for the proxy has no fields.
    open fun script() = script

    open fun words() = words

    open fun contexts() = contexts

    open fun hanging() = hanging

    open fun cancelled() = cancelled

    @RetryWith("search")
    open suspend fun find(word: String): String {
      yield()
      words += word
      val context = currentCoroutineContext()
      val user = context[ReactorContext]?.context?.getOrDefault("user", "nobody")
      contexts += "$user ${context[CoroutineName]?.name}"
      return script.call()
    }

    @RetryWith("search")
    open suspend fun send() {
      yield()
      script.call()
    }

    @RetryWith("search")
    open suspend fun findOrNull(): String? = script.call().takeIf { it != "none" }

    @RetryWith("search")
    open suspend fun hang(millis: Long): String {
      try {
        hanging.complete(Unit)
        return withTimeout(millis) { awaitCancellation() }
      } finally {
        cancelled.complete(Unit)
      }
    }
  }

  open class Bank {
    private val script = ScriptedOperation<String>()
    private val transactions = mutableListOf<Boolean>()

    open fun script() = script

    open fun transactions() = transactions

    @RetryWith("search")
    @Transactional(rollbackFor = [Exception::class])
    open suspend fun book(): String {
      transactions +=
          currentCoroutineContext()[ReactorContext]!!.context.stream().anyMatch {
            it.key.toString().contains("TransactionContext")
          }
      return script.call()
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement(proxyTargetClass = true)
  open class Transactions {
    @Bean open fun transactionManager() = RecordingTransactions()
  }

  class RecordingTransactions : AbstractReactiveTransactionManager() {
    val events = mutableListOf<String>()

    override fun doGetTransaction(manager: TransactionSynchronizationManager): Any = Any()

    override fun doBegin(
        manager: TransactionSynchronizationManager,
        transaction: Any,
        definition: TransactionDefinition,
    ) = event("begin")

    override fun doCommit(
        manager: TransactionSynchronizationManager,
        status: GenericReactiveTransaction,
    ) = event("commit")

    override fun doRollback(
        manager: TransactionSynchronizationManager,
        status: GenericReactiveTransaction,
    ) = event("rollback")

    private fun event(name: String): Mono<Void> = Mono.fromRunnable { events += name }
  }

  interface Finder<T> {
    fun script(): ScriptedOperation<T>

    suspend fun find(): T
  }

  class WordFinder : Finder<String> {
    private val script = ScriptedOperation<String>()

    override fun script() = script

    @RetryWith("search")
    override suspend fun find(): String {
      yield()
      return script.call()
    }
  }

  /** With what Kotlin makes of default arguments, lambdas, companions and private functions. */
  @RetryWith("search")
  open class Annotated {
    private val script = ScriptedOperation<String>()

    open fun script() = script

    open suspend fun find(word: String = name): String {
      later(word) { it.length }
      return script.call()
    }

    private fun later(word: String, length: (String) -> Int): Flow<Int> =
        sequenceOf(word).map { length(it) }.fold(emptyFlow()) { all, _ -> all }

    final override fun equals(other: Any?) = this === other

    final override fun hashCode() = 1

    companion object {
      const val name = "word"

      @JvmStatic fun words(): Flow<String> = emptyFlow()
    }
  }

  open class FlowOfFun {
    @RetryWith("search") open fun find(): Flow<String> = emptyFlow()
  }

  open class DeferredOfFun {
    @RetryWith("search") open fun find(): Deferred<String> = CompletableDeferred("found")
  }

  open class SequenceOfFun {
    @RetryWith("search") open fun find(): Sequence<String> = emptySequence()
  }

  open class FlowOfSuspendFun {
    @RetryWith("search") open suspend fun find(): Flow<String> = emptyFlow()
  }

  open class MonoOfSuspendFun {
    @RetryWith("search") open suspend fun find(): Mono<String> = Mono.empty()
  }

  open class FutureOfSuspendFun {
    @RetryWith("search") open suspend fun find() = CompletableFuture<String>()
  }

  open class AnyOfSuspendFun {
    @RetryWith("search") open suspend fun find(any: Any): Any = any.also { yield() }
  }
}
