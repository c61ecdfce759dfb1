package dev.idempotency.web.kotlin

import dev.idempotency.Idempotent
import dev.idempotency.reactive.ReactiveIdempotencyContext
import dev.idempotency.web.KotlinJournal
import dev.idempotency.webflux.ReactiveIdempotencyRouteFilter
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.future.await
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.withContext
import org.springframework.context.annotation.Bean
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RequestHeader
import org.springframework.web.bind.annotation.RestController
import org.springframework.web.reactive.function.server.bodyValueAndAwait
import org.springframework.web.reactive.function.server.buildAndAwait
import org.springframework.web.reactive.function.server.coRouter

/** What there is on WebFlux alone. */
@RestController
class ReactiveHandlers(private val journal: KotlinJournal) {

    @PostMapping("/plain/held")
    suspend fun unprotected(@RequestHeader("Idempotency-Key") name: String) {
        journal.arrive(name)
        try {
            journal.leaving(name).await()
        } catch (ex: CancellationException) {
            journal.next(name)
            throw ex
        }
    }

    @PostMapping("/current")
    @Idempotent
    suspend fun current(): String {
        delay(2)
        val context = withContext(Dispatchers.Default) { ReactiveIdempotencyContext.current().awaitSingle() }
        return context.key().value()
    }
}

class RouteConfiguration {

    @Bean
    fun routes(journal: KotlinJournal, idempotency: ReactiveIdempotencyRouteFilter) = coRouter {
        POST("/route") {
            delay(2)
            status(201).header("X-Kept", "kept").bodyValueAndAwait("route " + journal.next("route"))
        }
        POST("/route-without-a-body") {
            journal.next("route-without-a-body")
            delay(2)
            noContent().buildAndAwait()
        }
        POST("/route-failing") {
            delay(2)
            journal.next("route-failing")
            throw IllegalStateException("Broken")
        }
    }.filter(idempotency)
}
