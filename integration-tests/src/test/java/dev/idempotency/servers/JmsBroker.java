package dev.idempotency.servers;

import java.util.UUID;

import dev.idempotency.fixtures.Unchecked;
import org.apache.activemq.broker.BrokerService;

/**
 * An ActiveMQ that runs among the tests.
 */
public final class JmsBroker {

	private static final class Shared {

		private static final JmsBroker BROKER = start();

	}

	private final String url;

	private JmsBroker(String url) {
		this.url = url;
	}

	/**
	 * The broker that all tests of this process share. It ends with the process.
	 */
	public static JmsBroker shared() {
		return Shared.BROKER;
	}

	private static JmsBroker start() {
		BrokerService broker = new BrokerService();
		broker.setPersistent(false);
		broker.setUseJmx(false);
		return Unchecked.get(() -> {
			String address = broker.addConnector("tcp://127.0.0.1:0").getPublishableConnectString();
			broker.start();
			broker.waitUntilStarted();
			return new JmsBroker(address);
		});
	}

	/**
	 * The address for connections that get a message again at once, and not after a
	 * second.
	 */
	public String url() {
		return this.url + "?jms.redeliveryPolicy.initialRedeliveryDelay=0";
	}

	/**
	 * The name of a new queue, which begins to exist when it is used.
	 */
	public String newQueue() {
		return "queue-" + UUID.randomUUID();
	}

}
