'use strict';

// The state of the page: the current order, every request that was sent, and the ledger of the server
const state = { user: 'anna', order: '', requests: [], ledger: [], paymentIds: new Map(), silentKey: '' };

const LANES = 30;
const LONGEST_WAIT_SECONDS = 10;

const byId = (id) => document.getElementById(id);
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

function element(name, options, ...children) {
	const made = document.createElement(name);
	Object.assign(made, options);
	made.append(...children);
	return made;
}

function randomHex(bytes) {
	return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function newOrder() {
	state.order = randomHex(2).toUpperCase();
	byId('key').value = `order-${state.order}-${randomHex(8)}`;
	byId('amount').value = '20.00';
	render();
}

function say(text) {
	byId('said').textContent = text;
}

// A new page, since this one would forget the key
const consoleLink = () => element('a', { href: 'actuator/idempotencyconsole', target: '_blank', textContent: 'console' });

// ---------------------------------------------------------------- requests

// Every request goes through here, so that it is shown in the responses and on the timeline
async function send(asked, path, { key, body, headers = {}, user = state.user, unprotected = false } = {}) {
	const request = { asked, user, order: state.order, key, unprotected, sent: performance.now(), kind: 'waiting' };
	state.requests.push(request);
	render();
	try {
		const answer = await fetch(path, { method: 'POST', body, headers: {
			'Authorization': 'Basic ' + btoa(`${user}:${user}`),
			...(key ? { 'Idempotency-Key': key } : {}),
			...(typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}),
			...headers } });
		request.status = answer.status;
		request.effect = answer.headers.get('Idempotency-Effect') ?? '';
		request.replayed = answer.headers.get('Idempotent-Replayed') === 'true';
		request.retryAfter = Number(answer.headers.get('Retry-After') ?? 1);
		request.body = await answer.json().catch(() => null);
		request.kind = kindOf(request);
		request.note = request.status >= 400 ? request.body?.detail ?? request.body?.error ?? '' : '';
	}
	catch (failure) {
		request.kind = 'died';
		request.note = 'There was no response. ' + failure.message;
	}
	request.answered = performance.now();
	await readLedger();
	render();
	return request;
}

function kindOf(request) {
	if (request.status >= 500) {
		return 'died';
	}
	if (request.replayed) {
		return 'replayed';
	}
	if (request.unprotected) {
		return 'unprotected';
	}
	return request.status >= 400 || request.effect.startsWith('would_') ? 'refused' : 'ran';
}

let ledgerText = '';

async function readLedger() {
	try {
		const answer = await fetch('ledger', { headers: { 'Authorization': 'Basic ' + btoa(`${state.user}:${state.user}`) } });
		const text = answer.ok ? await answer.text() : ledgerText;
		if (text === ledgerText) {
			return;
		}
		ledgerText = text;
		state.ledger = JSON.parse(text);
	}
	catch {
		// The server is down; the next request shows that
	}
	render();
}

const purpose = () => `order ${state.order}`;

function payment(amount = byId('amount').value, what = purpose()) {
	// Not a JavaScript number: the amount is sent as it was typed
	return `{"amount":${/^\d+(\.\d+)?$/.test(amount) ? amount : 'null'},"purpose":${JSON.stringify(what)}}`;
}

async function pay(asked = 'Pay', options = {}) {
	const request = await send(asked, 'payments', { key: byId('key').value, body: payment(options.amount), ...options });
	if (request.status === 201) {
		state.paymentIds.set(`${request.user} ${request.order}`, request.body.id);
	}
	return request;
}

async function payAtBank(path, settled) {
	const options = { key: byId('key').value, body: payment() };
	if (!settled) {
		await send('Bank times out', path, { ...options, headers: { 'Demo-Bank-Timeout': 'true' } });
	}
	return send('Retry', path, options);
}

async function paymentId() {
	const key = `${state.user} ${state.order}`;
	if (!state.paymentIds.has(key)) {
		await pay();
	}
	return state.paymentIds.get(key);
}

// ---------------------------------------------------------------- what the buttons do

const actions = {
	'new-order': async () => {
		newOrder();
		say('A new order with a new key. Press Pay.');
	},

	'pay': async () => {
		const request = await pay();
		say({
			ran: `Charged. Press Pay once more: the response was ${request.status}, and the next one is the same, without a second charge.`,
			replayed: 'Nothing ran. The stored response was replayed, byte for byte, and the customer was not charged again.',
			refused: request.note,
			died: request.note
		}[request.kind]);
	},

	'pay-unprotected': async () => {
		const request = await send('Pay without a key', 'unprotected/payments', { body: payment(undefined, purpose() + ' (no key)'), unprotected: true });
		if (request.status !== 201) {
			say(request.note);
			return;
		}
		say(count(request.user, '(no key)') > 1 ? 'Charged again. Without a key, the server cannot recognize a retry.' : 'Charged. Press it once more, like a customer whose screen froze.');
	},

	'pay-20': async () => {
		newOrder();
		const requests = await Promise.all(Array.from({ length: 20 }, (_, index) => pay(`Duplicate ${index + 1}`)));
		const ran = requests.filter((request) => request.kind === 'ran').length;
		const replayed = requests.filter((request) => request.kind === 'replayed').length;
		say(`20 requests at once: ${ran} ran, ${replayed} got its response, ${requests.length - ran - replayed} got a conflict, since it was in progress. Press Pay to retry: all get the same response.`);
	},

	'pay-other': async () => {
		await paymentId();
		const other = (Number(byId('amount').value) + 1).toFixed(2);
		const request = await pay(`Retry with ${other}`, { amount: other });
		say(request.status === 422 ? 'Refused: the key was used for another amount. Nothing ran, and the first response is still stored.' : request.note);
	},

	'dry-run': async () => {
		const request = await pay('Dry run', { headers: { 'Idempotency-Dry-Run': '?1' } });
		say({
			would_execute: 'Pay would charge the customer. Nothing was done.',
			would_replay: 'Pay would replay the stored response. Nothing was done.',
			would_conflict: 'Pay would get a conflict: the first request is still in progress. Nothing was done.',
			would_reject: 'Pay would be refused: the key was used for another request. Nothing was done.'
		}[request.effect] ?? request.note);
	},

	'crash': async () => {
		newOrder();
		say('A second server is starting. It will take the payment, and be killed after it has charged and before it responds…');
		const death = await send('Second server', 'demo/crash', { key: byId('key').value, body: payment() });
		if (death.status !== 200 || death.body.status !== 0) {
			death.kind = 'died';
			say(death.note || 'The second server could not take the payment.');
			return;
		}
		Object.assign(death, { kind: 'died', status: 'killed', effect: '', note: `process ${death.body.pid}, by kill -9` });
		say('Killed. Its key stays claimed until its lease expires; until then, retries get a conflict…');
		render();
		let retry = await pay('Retry after the crash');
		const until = performance.now() + 60_000;
		while (retry.status === 409 && performance.now() < until) {
			await pause(Math.min(retry.retryAfter, LONGEST_WAIT_SECONDS));
			retry = await pay('Retry after the crash');
		}
		const charges = count(state.user);
		say(retry.status === 201 ? `The retry finished the job: ${charges} ${charges === 1 ? 'charge' : 'charges'}, though a server crashed in the middle of it.` : retry.note);
	},

	'timeout': async () => {
		newOrder();
		const retry = await payAtBank('bank-payments');
		const charges = count(state.user);
		say(retry.status === 200 ? `The retry knew that the outcome was unknown. It asked the bank and found the payment: ${charges} ${charges === 1 ? 'charge' : 'charges'}.` : retry.note);
	},

	'silent': async () => {
		const settled = state.silentKey === `${state.user} ${byId('key').value}`;
		if (!settled) {
			newOrder();
		}
		const retry = await payAtBank('silent-bank-payments', settled);
		const waits = retry.status === 409 && retry.body?.type?.endsWith('outcome-unknown');
		state.silentKey = waits ? `${retry.user} ${retry.key}` : '';
		if (waits) {
			byId('said').replaceChildren('Refused: nobody knows whether the bank has charged. An operator looks it up in the ledger, searches for the key in the ',
				consoleLink(), ' (user and password: operator), and settles it. Then press this button again.');
			return;
		}
		say(retry.replayed ? 'The retry got the response that the operator settled the key with. Nothing ran.' : retry.note || 'Nothing was done, said the operator. So the retry ran.');
	},

	'capture': async () => {
		const path = `payments/${await paymentId()}/capture`;
		const key = byId('key').value + '-capture';
		const [first, second] = await Promise.all([send('Capture', path, { key }), send('Capture, the same', path, { key })]);
		say(first.status === 200 && second.status === 200 ? 'Paid out to the shop once. The second request waited for the first, and got its response.' : first.note || second.note);
	},

	'refund': async () => {
		const path = `payments/${await paymentId()}/refund`;
		const key = byId('key').value + '-refund';
		const first = await send('Refund', path, { key });
		const second = await send('Refund, again', path, { key });
		say(second.status === 200 ? 'The money went back once.' : first.note || second.note);
	},

	'report': () => twice('report', (asked, key) => send(asked, 'reports', { key }), 'Made once: the second request got the first report, at once.'),

	'receipt': () => twice('receipt', (asked, key) => {
		const form = new FormData();
		form.append('file', new File([`Receipt for ${purpose()}`], 'receipt.txt', { type: 'text/plain' }));
		return send(asked, 'receipts', { key, body: form });
	}, 'Filed once, though browsers send uploads with another boundary each time.'),

	'trip': async () => {
		const options = { key: 'trip-' + randomHex(8), body: JSON.stringify({ destination: 'Lisbon', amount: 99 }) };
		await send('Agent: book a trip', 'agent/trips', { ...options, headers: { 'Demo-Failing-Step': 'mail' } });
		const retry = await send('Agent: retry', 'agent/trips', options);
		say(retry.status === 201 ? 'Paid and booked by the first attempt, mailed by the second: each step ran once.' : retry.note);
	},

	'stripe': () => deliver('stripe', 'Stripe'),

	'github': () => deliver('github', 'GitHub')
};

async function twice(name, request, success) {
	const key = `${name}-${randomHex(8)}`;
	const first = await request(`A ${name}`, key);
	const second = await request(`The same ${name}`, key);
	say(second.replayed ? success : first.note || second.note || 'It was not replayed.');
}

async function deliver(sender, name) {
	const request = await send(`${name} delivers twice`, `demo/deliveries/${sender}`);
	const [, second] = request.body ?? [];
	request.effect = (request.body ?? []).map((delivery) => delivery.effect).join(', ');
	render();
	say(second?.replayed ? 'Two deliveries, one line in the ledger: the id of the event is the key.' : request.note);
}

// ---------------------------------------------------------------- what is shown

function count(user, suffix = '') {
	const what = `charged for ${purpose()}${suffix && ' ' + suffix}`;
	return state.ledger.filter((line) => line.account === user && line.what === what).length;
}

function render() {
	byId('order').textContent = state.order;
	renderScore();
	renderAnswers();
	renderLedger();
	renderTimeline();
	for (const empty of document.querySelectorAll('.empty')) {
		empty.hidden = empty.parentElement.querySelectorAll('tbody tr, #timeline li').length > 0;
	}
}

function renderScore() {
	const mine = state.requests.filter((request) => request.order === state.order && request.user === state.user);
	const withKey = mine.filter((request) => request.key === byId('key').value && !request.effect?.startsWith('would_')).length;
	tile('with-key', 'key', withKey, count(state.user));
	tile('without-key', 'bare', mine.filter((request) => request.unprotected).length, count(state.user, '(no key)'));
}

function tile(id, prefix, requests, charges) {
	byId(id).className = 'tile' + (charges === 1 ? ' good' : charges > 1 ? ' bad' : '');
	for (const [what, number] of [['request', requests], ['charge', charges]]) {
		byId(`${prefix}-${what}s`).textContent = number;
		byId(`${prefix}-${what}s-word`).textContent = number === 1 ? what : what + 's';
	}
}

function renderAnswers() {
	const rows = state.requests.slice(-100).reverse().map((request) => {
		const row = element('tr', { className: request.answered && !request.shown ? 'new' : '' },
			element('td', {}, request.asked, element('small', { textContent: request.note ? `${request.user} · ${request.note}` : request.user })),
			element('td', {}, element('span', { className: `badge ${request.kind}`, textContent: request.status ?? (request.kind === 'died' ? 'none' : '…') })),
			element('td', { textContent: request.effect || '–' }),
			element('td', { textContent: request.replayed ? 'yes' : '–' }));
		request.shown ||= Boolean(request.answered);
		return row;
	});
	byId('answers').tBodies[0].replaceChildren(...rows);
}

let newestLine = 0;

function renderLedger() {
	byId('ledger').tBodies[0].replaceChildren(...state.ledger.map((line) => element('tr', { className: newestLine && line.id > newestLine ? 'new' : '' },
		element('td', { textContent: line.account }),
		element('td', { textContent: line.what }),
		element('td', { className: 'number', textContent: line.amount === null ? '' : line.amount.toFixed(2) }))));
	newestLine = Math.max(newestLine, ...state.ledger.map((line) => line.id));
}

function renderTimeline() {
	const shown = state.requests.slice(-LANES);
	const from = Math.min(...shown.map((request) => request.sent));
	const to = Math.max(from + 1000, ...shown.map((request) => request.answered ?? performance.now()));
	const percent = (time) => 100 * (time - from) / (to - from);
	byId('timeline').replaceChildren(...shown.reverse().map((request) => {
		const end = request.answered ?? performance.now();
		const bar = element('div', { className: `bar ${request.kind}` });
		bar.style.left = `${Math.min(percent(request.sent), 99)}%`;
		bar.style.width = `${percent(end) - percent(request.sent)}%`;
		const took = request.answered ? `, ${request.kind}, ${Math.round(end - request.sent)} ms` : '';
		return element('li', { title: request.asked + took }, element('span', { textContent: `${request.user}: ${request.asked}` }), element('div', { className: 'lane' }, bar));
	}));
	byId('axis-from').textContent = shown.length ? '0 s' : '';
	byId('axis-to').textContent = shown.length ? `${((to - from) / 1000).toFixed(1)} s` : '';
}

// ---------------------------------------------------------------- start

for (const [id, action] of Object.entries(actions)) {
	const button = byId(id);
	button.addEventListener('click', async () => {
		// Pay stays enabled, so that it can be pressed twice, quickly
		const slow = id !== 'pay' && id !== 'pay-unprotected';
		button.disabled = slow;
		try {
			await action();
		}
		catch (failure) {
			say('Something went wrong: ' + failure.message);
		}
		finally {
			button.disabled = false;
			if (slow && document.activeElement === document.body) {
				button.focus();
			}
		}
	});
}

byId('users').addEventListener('change', (event) => {
	state.user = event.target.value;
	render();
	say(`You are ${state.user === 'anna' ? 'Anna' : 'Ben'} now. The same key of another user is another key: press Pay.`);
});

byId('key').addEventListener('input', render);

newOrder();
readLedger();
setInterval(() => {
	if (!document.hidden) {
		readLedger();
	}
}, 3000);
