package dev.idempotency.servers;

import java.net.URL;
import java.util.Map;
import java.util.UUID;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.idempotency.fixtures.Unchecked;
import org.apache.qpid.server.SystemLauncher;
import org.apache.qpid.server.SystemLauncherListener;
import org.apache.qpid.server.model.Broker;
import org.apache.qpid.server.model.SystemConfig;
import org.jspecify.annotations.Nullable;

/**
 * A Qpid that runs among the tests. It speaks the language of RabbitMQ, AMQP 0-9-1, and
 * knows the same guest.
 */
public final class AmqpBroker {

	private static final class Shared {

		private static final AmqpBroker BROKER = start();

	}

	private final int port;

	private AmqpBroker(int port) {
		this.port = port;
	}

	/**
	 * The broker that all tests of this process share. It ends with the process.
	 */
	public static AmqpBroker shared() {
		return Shared.BROKER;
	}

	private static AmqpBroker start() {
		URL configuration = AmqpBroker.class.getResource("amqp-broker.json");
		if (configuration == null) {
			throw new IllegalStateException("The configuration of the broker is missing");
		}
		Started started = new Started();
		SystemLauncher launcher = new SystemLauncher(started);
		Unchecked
			.run(() -> launcher.startup(Map.of(SystemConfig.TYPE, "Memory", SystemConfig.INITIAL_CONFIGURATION_LOCATION,
					configuration.toExternalForm(), SystemConfig.STARTUP_LOGGED_TO_SYSTEM_OUT, false)));
		Runtime.getRuntime().addShutdownHook(new Thread(launcher::shutdown));
		return new AmqpBroker(started.port());
	}

	public int port() {
		return this.port;
	}

	/**
	 * The name of a new queue.
	 */
	public String newQueue() {
		ConnectionFactory connections = new ConnectionFactory();
		connections.setPort(this.port);
		try (Connection connection = connections.newConnection(); Channel channel = connection.createChannel()) {
			String queue = "queue-" + UUID.randomUUID();
			channel.queueDeclare(queue, true, false, false, Map.of());
			return queue;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Remembers where the broker listens, which it chose itself.
	 */
	private static final class Started extends SystemLauncherListener.DefaultSystemLauncherListener {

		private @Nullable SystemConfig<?> system;

		@Override
		public void onContainerResolve(SystemConfig<?> system) {
			this.system = system;
		}

		private int port() {
			if (this.system == null || !(this.system.getContainer() instanceof Broker<?> broker)) {
				throw new IllegalStateException("The broker did not start");
			}
			return broker.getPorts().iterator().next().getBoundPort();
		}

	}

}
