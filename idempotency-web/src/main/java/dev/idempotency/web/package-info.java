/**
 * HTTP edge for Spring MVC: the filter carries, the interceptor decides.
 */
@NullMarked
package dev.idempotency.web;

import org.jspecify.annotations.NullMarked;
