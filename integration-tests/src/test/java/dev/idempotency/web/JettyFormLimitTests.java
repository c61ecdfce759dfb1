package dev.idempotency.web;

/**
 * The limits of a Jetty.
 */
class JettyFormLimitTests extends FormLimitTests {

	@Override
	public Container container() {
		return Container.JETTY;
	}

}
