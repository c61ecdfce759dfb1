package dev.idempotency.ai;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares the side effects of a {@code @Tool} method. It can be a meta-annotation.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface SideEffects {

	/**
	 * The side effects of the tool.
	 * @return the side effects; {@code READ} excludes {@code WRITE} and
	 * {@code DESTRUCTIVE}
	 */
	SideEffect[] value();

}
