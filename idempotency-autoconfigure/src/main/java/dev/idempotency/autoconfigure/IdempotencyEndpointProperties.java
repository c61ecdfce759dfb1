package dev.idempotency.autoconfigure;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the endpoint.
 *
 * @param showValues When to show the keys, principals and tenants of clients in full.
 * @param roles Roles used to determine whether a user is authorized to be shown them.
 * When empty, all authenticated users are authorized.
 */
@ConfigurationProperties("management.endpoint.idempotency")
public record IdempotencyEndpointProperties(@DefaultValue("never") Show showValues, @DefaultValue Set<String> roles) {
}
