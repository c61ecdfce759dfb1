package dev.idempotency.webflux;

import dev.idempotency.http.KeptHeaders;
import dev.idempotency.http.ResponsePolicy;

/**
 * The rules for the responses of all protected requests.
 *
 * @param keptHeaders which headers are stored
 * @param policy which responses are stored
 * @param problems writes problems
 */
record ReactiveAnswerRules(KeptHeaders keptHeaders, ResponsePolicy policy, ReactiveProblems problems) {
}
