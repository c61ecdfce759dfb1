package dev.idempotency.web;

class H2SettlingErrorTests extends SettlingErrorContract {

	@Override
	String url() {
		return "jdbc:h2:mem:settling-error";
	}

}
