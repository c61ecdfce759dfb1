package dev.idempotency.store.redis;

import java.util.Arrays;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;

import org.springframework.data.redis.connection.ClusterCommandExecutor.ClusterCommandCallback;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.lettuce.LettuceClusterConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;

/**
 * The part of {@link Replicas} that needs Lettuce's own types. A class of its own,
 * because Lettuce may be missing.
 */
final class LettuceReplicas {

	private LettuceReplicas() {
	}

	static long await(LettuceConnection connection, int wanted, long millis) {
		Long acknowledged = (Long) connection.execute("WAIT", new IntegerOutput<>(ByteArrayCodec.INSTANCE),
				Replicas.number(wanted), Replicas.number(millis));
		return (acknowledged != null) ? acknowledged : 0;
	}

	/**
	 * Claims, and waits for replicas, on the node that has the record.
	 */
	static Replicas.Answer claim(LettuceClusterConnection connection, int wanted, long millis, byte[]... arguments) {
		RedisClusterNode owner = connection.clusterGetNodeForKey(arguments[0]);
		ClusterCommandCallback<RedisClusterCommands<byte[], byte[]>, Replicas.Answer> callback = (node) -> {
			RecordReply reply = new RecordReply(claim(node, arguments));
			return new Replicas.Answer(reply, reply.isGranted() ? node.waitForReplication(wanted, millis) : 0);
		};
		if (owner == null) {
			throw new IllegalStateException("No node of the cluster has the record at the moment");
		}
		Replicas.Answer answer = connection.getClusterCommandExecutor()
			.executeCommandOnSingleNode(callback, owner)
			.getValue();
		if (answer == null) {
			throw new IllegalStateException("The cluster node returned no reply");
		}
		return answer;
	}

	private static byte[] claim(RedisClusterCommands<byte[], byte[]> node, byte[]... arguments) {
		byte[][] keys = { arguments[0] };
		byte[][] values = Arrays.copyOfRange(arguments, 1, arguments.length);
		try {
			return ScriptValues.bytes(node.evalsha(Script.CLAIM.sha1(), ScriptOutputType.VALUE, keys, values));
		}
		catch (RedisNoScriptException ex) {
			return ScriptValues.bytes(node.eval(Script.CLAIM.source(), ScriptOutputType.VALUE, keys, values));
		}
	}

}
