package dev.idempotency.web.kotlin

import dev.idempotency.Idempotent
import dev.idempotency.IdempotencyContext
import dev.idempotency.OnConflict
import dev.idempotency.web.KotlinJournal
import java.net.URI
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.future.await
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.springframework.http.HttpStatus
import org.springframework.http.MediaType
import org.springframework.http.ResponseEntity
import org.springframework.web.bind.annotation.ExceptionHandler
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RequestBody
import org.springframework.web.bind.annotation.RequestMapping
import org.springframework.web.bind.annotation.ResponseStatus
import org.springframework.web.bind.annotation.RestController
import org.springframework.web.bind.annotation.RestControllerAdvice
import org.springframework.web.server.ResponseStatusException

data class Order(val item: String)

data class Receipt(val text: String, val number: Int)

class SoldOut : RuntimeException("sold out")

class Unpaid : RuntimeException("unpaid")

/** One handler of each kind. */
abstract class Handlers(private val journal: KotlinJournal) {

    private fun next(kind: String) = Receipt("done", journal.next(kind))

    /** Comes back on another thread, or on none that it knew. */
    private suspend fun suspending(kind: String): Receipt {
        delay(2)
        val receipt = withContext(Dispatchers.Default) {
            yield()
            next(kind)
        }
        delay(2)
        return receipt
    }

    @PostMapping("/value")
    suspend fun value() = next("value")

    @PostMapping("/suspended")
    suspend fun suspended() = suspending("suspended")

    @PostMapping("/body")
    suspend fun body(@RequestBody order: Order): Receipt {
        val receipt = suspending("body")
        return receipt.copy(text = order.item)
    }

    @PostMapping("/text")
    suspend fun text() = "text " + suspending("text").number

    @PostMapping("/entity")
    suspend fun entity(): ResponseEntity<Receipt> {
        val receipt = suspending("entity")
        return ResponseEntity.created(URI.create("/receipts/1")).header("X-Kept", "kept").body(receipt)
    }

    @PostMapping("/unit")
    suspend fun unit() {
        suspending("unit")
    }

    @PostMapping("/no-content")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    suspend fun noContent() {
        suspending("no-content")
    }

    @PostMapping("/nothing")
    suspend fun nothing(): Receipt? {
        suspending("nothing")
        return null
    }

    @PostMapping("/status")
    suspend fun status(): Receipt {
        suspending("status")
        throw ResponseStatusException(HttpStatus.FORBIDDEN, "no")
    }

    @PostMapping("/handled")
    suspend fun handled(): Receipt {
        suspending("handled")
        throw SoldOut()
    }

    @PostMapping("/handled-at-once")
    suspend fun handledAtOnce(): Receipt {
        next("handled-at-once")
        throw SoldOut()
    }

    @PostMapping("/handled-suspending")
    suspend fun handledSuspending(): Receipt {
        suspending("handled-suspending")
        throw Unpaid()
    }

    @PostMapping("/failing")
    suspend fun failing(): Receipt {
        suspending("failing")
        throw IllegalStateException("Broken")
    }

    @PostMapping("/failing-at-once")
    suspend fun failingAtOnce(): Receipt {
        next("failing-at-once")
        throw IllegalStateException("Broken")
    }

    private fun receipts(kind: String, failingAt: Int) = flow {
        val first = suspending(kind)
        for (number in 0..2) {
            if (number == failingAt) {
                throw IllegalStateException("Broken")
            }
            delay(2)
            emit(first.copy(text = "part $number"))
        }
    }

    @PostMapping("/flow")
    fun flowing(): Flow<Receipt> = receipts("flow", -1)

    @PostMapping("/flow-elsewhere")
    fun elsewhere(): Flow<Receipt> = receipts("flow-elsewhere", -1).flowOn(Dispatchers.Default)

    @PostMapping("/suspended-flow")
    suspend fun suspendedFlow(): Flow<Receipt> {
        delay(2)
        return receipts("suspended-flow", -1)
    }

    @PostMapping("/flow-entity")
    fun flowEntity(): ResponseEntity<Flow<Receipt>> =
        ResponseEntity.status(201).header("X-Kept", "kept").body(receipts("flow-entity", -1))

    @PostMapping("/flow-lines", produces = [MediaType.APPLICATION_NDJSON_VALUE])
    fun lines(): Flow<Receipt> = receipts("flow-lines", -1)

    @PostMapping("/flow-failing")
    fun failingFlow(): Flow<Receipt> = receipts("flow-failing", 0)

    @PostMapping("/flow-failing-in-the-middle", produces = [MediaType.APPLICATION_NDJSON_VALUE])
    fun failingInTheMiddle(): Flow<Receipt> = receipts("flow-failing-in-the-middle", 2)
}

@RestController
@RequestMapping("/kinds")
@Idempotent
class ProtectedHandlers(journal: KotlinJournal) : Handlers(journal)

@RestController
@RequestMapping("/plain")
class PlainHandlers(journal: KotlinJournal) : Handlers(journal)

@RestControllerAdvice(basePackages = ["dev.idempotency.web.kotlin"])
class Advice {

    @ExceptionHandler
    @ResponseStatus(HttpStatus.GONE)
    fun soldOut(ex: SoldOut) = mapOf("problem" to ex.message)

    @ExceptionHandler
    @ResponseStatus(HttpStatus.PAYMENT_REQUIRED)
    suspend fun unpaid(ex: Unpaid): Map<String, String?> {
        delay(2)
        return mapOf("problem" to ex.message)
    }
}

/** Handlers that tell a test where they are, and wait for it. */
@RestController
class HeldHandlers(private val journal: KotlinJournal) {

    private suspend fun hold(context: IdempotencyContext): Receipt {
        val key = context.key().value()
        val number = journal.next(key)
        journal.arrive(key)
        journal.leaving(key).await()
        return Receipt("attempt ${context.attempt()}", number)
    }

    @PostMapping("/held")
    @Idempotent
    suspend fun held(context: IdempotencyContext): ResponseEntity<Receipt> =
        ResponseEntity.status(201).header("X-Kept", "kept").body(hold(context))

    @PostMapping("/thread")
    @Idempotent
    suspend fun thread(): String = withContext(Dispatchers.Default) {
        runCatching { IdempotencyContext.current() }.fold({ "found" }, { "none" })
    }

    @PostMapping("/awaited")
    @Idempotent(onConflict = OnConflict.WAIT)
    suspend fun awaited(context: IdempotencyContext) = hold(context)

    @PostMapping("/held-flow")
    @Idempotent
    fun heldFlow(context: IdempotencyContext): Flow<Receipt> = flow {
        emit(hold(context))
        emit(hold(context))
    }
}
