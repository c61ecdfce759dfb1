package dev.idempotency.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Test servers on a machine where others listen too.
 */
class RedisServerProcessTests {

	private static final String[] CLUSTER_NODE = { "--cluster-enabled", "yes" };

	private final List<ServerSocket> others = new ArrayList<>();

	@AfterEach
	void leave() throws IOException {
		for (ServerSocket other : this.others) {
			other.close();
		}
	}

	@Test
	void choosesAPortWhoseBusPortIsFreeToo() {
		int port = FreePorts.next();
		for (int next = port + 1; next <= port + 20; next++) {
			listen(next + FreePorts.BUS_OFFSET);
		}
		assertThat(FreePorts.next()).isNotIn(IntStream.rangeClosed(port, port + 20).boxed().toList());
	}

	@Test
	void startsAClusterNodeElsewhereWhenSomebodyTookItsBusPort() {
		int taken = FreePorts.next();
		int free = FreePorts.next();
		listen(taken + FreePorts.BUS_OFFSET);
		try (RedisServerProcess node = RedisServerProcess.startOnOneOf(List.of(taken, free).iterator()::next,
				CLUSTER_NODE)) {
			assertThat(node.port()).isEqualTo(free);
			assertThat(node.send("CLUSTER INFO")).contains("cluster_known_nodes:1");
		}
	}

	@Test
	void takesNoStrangerOnItsPortForItself() {
		try (RedisServerProcess stranger = RedisServerProcess.start()) {
			Iterator<Integer> ports = List.of(stranger.port(), FreePorts.next()).iterator();
			try (RedisServerProcess server = RedisServerProcess.startOnOneOf(ports::next)) {
				assertThat(server.port()).isNotEqualTo(stranger.port());
			}
			assertThatIllegalStateException().isThrownBy(() -> RedisServerProcess.start(stranger.port()))
				.withMessageContaining("Failed listening on port");
		}
	}

	@Test
	void tellsWhatTheServerSaidWhenItDoesNotStart() {
		assertThatIllegalStateException().isThrownBy(() -> RedisServerProcess.start("--no-such-option", "yes"))
			.withMessageContaining("no-such-option");
	}

	private void listen(int port) {
		try {
			this.others.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
		}
		catch (BindException ex) {
			// Somebody else does, which is as good
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
