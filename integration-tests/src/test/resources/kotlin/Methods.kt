package dev.idempotency.method.kotlin

import dev.idempotency.Idempotent
import java.util.concurrent.atomic.AtomicInteger
import java.util.function.Function
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.reactor.mono
import reactor.core.publisher.Mono

open class SuspendingPayments {

    @Idempotent(key = "#id")
    open suspend fun pay(id: String): String {
        delay(2)
        return id
    }
}

open class FlowingPayments {

    @Idempotent(key = "#id")
    open fun pay(id: String): Flow<String> = flowOf(id)
}

open class Payments : Function<String, Mono<String>> {

    private val paid = AtomicInteger()

    @Idempotent(key = "#id")
    override fun apply(id: String): Mono<String> = mono {
        delay(2)
        "$id ${paid.incrementAndGet()}"
    }
}
