package dev.idempotency.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for servers that cannot choose one themselves. A node of a Redis cluster listens
 * on two, its own and the one 10,000 above: here both are free. All of them are below the
 * range from which the system gives ports to clients.
 */
public final class FreePorts {

	static final int BUS_OFFSET = 10_000;

	private static final int FIRST = 12_000;

	private static final int PORTS = 10_000;

	private static final int PORTS_OF_A_PROCESS = 50;

	/**
	 * Processes that run tests at the same time begin to look in different places.
	 */
	private static final AtomicInteger next = new AtomicInteger(
			(int) (ProcessHandle.current().pid() * PORTS_OF_A_PROCESS % PORTS));

	private FreePorts() {
	}

	/**
	 * A port that nobody listens on, and that this process was not given lately.
	 */
	public static int next() {
		for (int i = 0; i < PORTS; i++) {
			int port = FIRST + Math.floorMod(next.getAndIncrement(), PORTS);
			if (isFree(port) && isFree(port + BUS_OFFSET)) {
				return port;
			}
		}
		throw new IllegalStateException("No port is free");
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket()) {
			socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
