package dev.idempotency.web;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrame;

/**
 * A connection whose streams can be reset one by one. Java's own client is no help there:
 * what a stream had received when it was reset is missing from the connection's window
 * for good.
 */
final class Http2Connection implements AutoCloseable {

	private static final EventLoopGroup threads = new MultiThreadIoEventLoopGroup(1, (task) -> {
		Thread thread = new Thread(task, "http2-client");
		thread.setDaemon(true);
		return thread;
	}, NioIoHandler.newFactory());

	private final TestServer server;

	private final Channel channel;

	Http2Connection(TestServer server) {
		this.server = server;
		this.channel = new Bootstrap().group(threads)
			.channel(NioSocketChannel.class)
			.handler(new ChannelInitializer<Channel>() {

				@Override
				protected void initChannel(Channel channel) {
					channel.pipeline()
						.addLast(Http2FrameCodecBuilder.forClient().build(),
								new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
				}

			})
			.connect(new InetSocketAddress("localhost", server.port()))
			.syncUninterruptibly()
			.channel();
	}

	/**
	 * Sends a request without a body on a stream of its own.
	 */
	Stream post(String path, String key) {
		Answering answering = new Answering();
		Channel opened = new Http2StreamChannelBootstrap(this.channel).handler(answering)
			.open()
			.syncUninterruptibly()
			.getNow();
		Http2Headers headers = new DefaultHttp2Headers().method("POST")
			.scheme("http")
			.authority("localhost:" + this.server.port())
			.path(path)
			.add("idempotency-key", key);
		opened.writeAndFlush(new DefaultHttp2HeadersFrame(headers, true)).syncUninterruptibly();
		return new Stream(opened, answering);
	}

	@Override
	public void close() {
		this.channel.close().syncUninterruptibly();
	}

	/**
	 * A request and its answer.
	 *
	 * @param channel what its frames go through
	 * @param answering what has come of its answer
	 */
	record Stream(Channel channel, Answering answering) {

		int status() {
			return this.answering.status;
		}

		/**
		 * The body, once all of it has come.
		 */
		byte[] body() {
			return this.answering.body.orTimeout(60, TimeUnit.SECONDS).join();
		}

		/**
		 * Resets the stream, and leaves the connection alone.
		 */
		void reset() {
			this.channel.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL)).awaitUninterruptibly();
		}

	}

	private static final class Answering extends SimpleChannelInboundHandler<Http2StreamFrame> {

		private final CompletableFuture<byte[]> body = new CompletableFuture<>();

		private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

		private volatile int status;

		@Override
		protected void channelRead0(ChannelHandlerContext context, Http2StreamFrame frame) {
			boolean end = false;
			if (frame instanceof Http2HeadersFrame headers) {
				if (headers.headers().status() != null) {
					this.status = Integer.parseInt(headers.headers().status().toString());
				}
				end = headers.isEndStream();
			}
			else if (frame instanceof Http2DataFrame data) {
				this.bytes.writeBytes(ByteBufUtil.getBytes(data.content()));
				end = data.isEndStream();
			}
			else if (frame instanceof Http2ResetFrame reset) {
				this.body.completeExceptionally(new IllegalStateException("Reset with " + reset.errorCode()));
			}
			if (end) {
				this.body.complete(this.bytes.toByteArray());
			}
		}

		@Override
		public void channelInactive(ChannelHandlerContext context) {
			this.body.completeExceptionally(new IllegalStateException("The connection is closed"));
		}

		@Override
		public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
			this.body.completeExceptionally(cause);
		}

	}

}
