package dev.idempotency.web;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A database whose connection breaks at a commit. Whether the commit takes effect, and
 * whether the database can be reached afterwards, is up to the test.
 */
public final class LossyDataSource extends DelegatingDataSource {

	private volatile @Nullable Loss next;

	private volatile boolean unreachable;

	private LossyDataSource(DataSource target) {
		super(target);
	}

	/**
	 * What happens to the next commit of a transaction on this thread.
	 */
	public void loseNext(Loss loss) {
		this.next = loss;
	}

	public void recover() {
		this.unreachable = false;
	}

	@Override
	public Connection getConnection() throws SQLException {
		if (this.unreachable) {
			throw new SQLException("unreachable", "08001");
		}
		Connection connection = super.getConnection();
		return (Connection) Proxy.newProxyInstance(LossyDataSource.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
					Loss loss = this.next;
					if (method.getName().equals("commit") && loss != null) {
						this.next = null;
						lose(connection, loss);
					}
					try {
						return method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	private void lose(Connection connection, Loss loss) throws SQLException {
		if (loss != Loss.OF_COMMIT) {
			connection.commit();
		}
		this.unreachable = loss == Loss.OF_DATABASE;
		connection.unwrap(Connection.class).abort(Runnable::run);
		unwrap(HikariDataSource.class).evictConnection(connection);
		throw new SQLException("The connection is broken", "08006");
	}

	public enum Loss {

		/**
		 * The commit never arrives.
		 */
		OF_COMMIT,

		/**
		 * The commit takes effect, and its reply is lost.
		 */
		OF_REPLY,

		/**
		 * The same, and the database cannot be reached for a while.
		 */
		OF_DATABASE

	}

	/**
	 * Puts it around the database of an application.
	 */
	public static class Around implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			return (bean instanceof HikariDataSource dataSource) ? new LossyDataSource(dataSource) : bean;
		}

	}

}
