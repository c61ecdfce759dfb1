package dev.idempotency.webflux;

import dev.idempotency.http.KeptHeaders;

/**
 * What holds for the answers of all protected requests.
 *
 * @param keptHeaders which headers are stored
 * @param policy which answers are stored
 * @param problems answers with problems
 */
record ReactiveAnswerRules(KeptHeaders keptHeaders, ReactiveResponsePolicy policy, ReactiveProblems problems) {
}
