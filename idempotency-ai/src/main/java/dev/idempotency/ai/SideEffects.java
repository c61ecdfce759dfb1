package dev.idempotency.ai;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says what a {@code @Tool} method does to the world. It can be a meta-annotation.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface SideEffects {

	/**
	 * What the tool does.
	 * @return its tags; one that reads neither writes nor destroys
	 */
	SideEffect[] value();

}
