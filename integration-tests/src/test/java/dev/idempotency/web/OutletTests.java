package dev.idempotency.web;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.util.WebUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Nothing reaches the container's response once its outlet is closed.
 */
class OutletTests {

	static Stream<Method> everyMethod() {
		return Arrays.stream(HttpServletResponse.class.getMethods())
			.filter((method) -> !Modifier.isStatic(method.getModifiers()));
	}

	@ParameterizedTest
	@MethodSource("everyMethod")
	void reachesTheContainerOnlyWhileItIsOpen(Method method) throws Exception {
		Container container = new Container();
		OutletResponse response = new OutletResponse(container.asResponse());
		Object[] arguments = Arrays.stream(method.getParameterTypes()).map(OutletTests::some).toArray();
		method.invoke(response, arguments);
		assertThat(container.calls).as("%s", method).isPositive();
		response.outlet().close();
		container.calls = 0;
		try {
			method.invoke(response, arguments);
		}
		catch (ReflectiveOperationException ex) {
			assertThat(ex).hasCauseInstanceOf(IOException.class);
		}
		assertThat(container.calls).as("%s after the end", method).isZero();
	}

	private static Object some(Class<?> type) {
		if (type == int.class) {
			return 200;
		}
		if (type == long.class) {
			return 200L;
		}
		if (type == boolean.class) {
			return true;
		}
		if (type == String.class) {
			return "text";
		}
		if (type == Locale.class) {
			return Locale.ROOT;
		}
		if (type == Cookie.class) {
			return new Cookie("name", "value");
		}
		if (type == Charset.class) {
			return StandardCharsets.UTF_8;
		}
		return (Supplier<Object>) Object::new;
	}

	@Test
	void cutsStreamsAndWritersThatWereGivenOutBefore() throws IOException {
		MockHttpServletResponse container = new MockHttpServletResponse();
		OutletResponse response = new OutletResponse(container);
		ServletOutputStream stream = response.getOutputStream();
		stream.write('a');
		MockHttpServletResponse other = new MockHttpServletResponse();
		OutletResponse otherResponse = new OutletResponse(other);
		PrintWriter writer = otherResponse.getWriter();
		writer.print("a");
		writer.flush();
		response.outlet().close();
		otherResponse.outlet().close();
		assertThatIOException().isThrownBy(() -> stream.write('b'));
		assertThatIOException().isThrownBy(stream::flush);
		writer.print("b");
		assertThat(writer.checkError()).isTrue();
		assertThat(container.getContentAsString()).isEqualTo("a");
		assertThat(other.getContentAsString()).isEqualTo("a");
	}

	@Test
	void isAWrapperAsAnyOther() {
		MockHttpServletResponse container = new MockHttpServletResponse();
		OutletResponse response = new OutletResponse(new HttpServletResponseWrapper(container));
		assertThat(WebUtils.getNativeResponse(response, MockHttpServletResponse.class)).isSameAs(container);
		assertThat(response.isWrapperFor(container)).isTrue();
		assertThat(response.isWrapperFor(MockHttpServletResponse.class)).isTrue();
	}

	@Test
	void keepsTheHeadForTheTimeAfterTheEnd() {
		MockHttpServletResponse container = new MockHttpServletResponse();
		OutletResponse response = new OutletResponse(container);
		response.setStatus(202);
		response.setContentType("text/plain;charset=UTF-8");
		response.addHeader("X-Item", "a");
		response.outlet().close();
		response.addHeader("x-item", "b");
		response.setHeader("X-Late", "late");
		response.setCharacterEncoding("UTF-16");
		assertThat(response.getStatus()).isEqualTo(202);
		assertThat(response.getHeaders("X-Item")).containsExactly("a", "b");
		assertThat(response.getHeader("X-Late")).isEqualTo("late");
		assertThat(response.getContentType()).isEqualTo("text/plain;charset=UTF-16");
		assertThat(container.getHeaders("X-Item")).containsExactly("a");
		assertThat(container.containsHeader("X-Late")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "text/plain;charset=UTF-16", "text/plain; charset=UTF-16", "text/plain; Charset=\"UTF-16\"" })
	void knowsTheEncodingByTheTypeAfterTheEnd(String type) {
		OutletResponse response = new OutletResponse(new MockHttpServletResponse());
		response.outlet().close();
		response.setContentType(type);
		assertThat(response.getCharacterEncoding()).isEqualTo("UTF-16");
		assertThat(response.getContentType()).isEqualTo(type);
		response.setCharacterEncoding("UTF-8");
		assertThat(response.getContentType()).isEqualTo("text/plain;charset=UTF-8");
	}

	@Test
	void aStreamTellsItsListenerThatNobodyReadsAfterTheEnd() throws IOException {
		OutletResponse response = new OutletResponse(new MockHttpServletResponse());
		ServletOutputStream stream = response.getOutputStream();
		response.outlet().close();
		List<Throwable> told = new ArrayList<>();
		stream.setWriteListener(new WriteListener() {

			@Override
			public void onWritePossible() {
				throw new AssertionError("nobody can write");
			}

			@Override
			public void onError(Throwable ex) {
				told.add(ex);
			}

		});
		assertThat(told).singleElement().isInstanceOf(IOException.class);
		assertThat(stream.isReady()).as("whoever writes is told so at once").isTrue();
	}

	@Test
	void waitsForWhoIsInTheMiddleOfWriting() throws Exception {
		Outlet outlet = new Outlet();
		CountDownLatch writing = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		CompletableFuture<Void> writer = Background.start(() -> {
			assertThat(outlet.enter()).isTrue();
			try {
				writing.countDown();
				goOn.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			finally {
				outlet.exit();
			}
			return null;
		});
		writing.await();
		CompletableFuture<Boolean> end = Background.start(() -> {
			outlet.close();
			return writer.isDone() || goOn.getCount() == 0;
		});
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> end.get(50, TimeUnit.MILLISECONDS));
		goOn.countDown();
		assertThat(end.get(10, TimeUnit.SECONDS)).isTrue();
		assertThat(outlet.enter()).isFalse();
	}

	@Test
	void aRequestThatHasEndedTellsSimpleFactsAndNothingElse() {
		MockHttpServletRequest container = new MockHttpServletRequest("POST", "/orders");
		container.addHeader("X-Item", "a");
		container.addHeader("X-Item", "b");
		container.setAttribute("name", "value");
		HttpServletRequest request = EndedRequest.of(container);
		container.setMethod("DELETE");
		container.setAttribute("name", "another");
		assertThat(request.getMethod()).isEqualTo("POST");
		assertThat(request.getRequestURI()).isEqualTo("/orders");
		assertThat(request.getHeader("x-item")).isEqualTo("a");
		assertThat(List.of(request.getHeaders("X-Item").nextElement())).containsExactly("a");
		assertThat(request.getAttribute("name")).isEqualTo("value");
		assertThat(request.getQueryString()).isNull();
		assertThat(request.isAsyncStarted()).isFalse();
		assertThatIllegalStateException().isThrownBy(request::getInputStream);
		assertThatIllegalStateException().isThrownBy(() -> request.getSession(true));
		assertThatIllegalStateException().isThrownBy(EndedRequest.FORGOTTEN::getMethod);
	}

	/**
	 * Counts whoever comes.
	 */
	private static final class Container implements InvocationHandler {

		private final MockHttpServletResponse response = new MockHttpServletResponse();

		private int calls;

		private HttpServletResponse asResponse() {
			return (HttpServletResponse) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { HttpServletResponse.class }, this);
		}

		@Override
		public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
			this.calls++;
			return method.invoke(this.response, arguments);
		}

	}

}
