'use strict';

// Data from the server is written as text, never as markup.

// Browsers refuse to fetch from an address with a user and a password in it, as this page may have been opened with
const endpoint = new URL(document.body.dataset.endpoint, location.origin + location.pathname).href;
const kinds = ['executed', 'replayed', 'conflicted', 'refused'];
const refreshMillis = 2000;
const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat();

let paused = false;
let refreshing = false;
let searched = null;
let shownRecord = null;
let answersRequests = false;
let rolledBack = false;
let readOnly = false;

class Problem extends Error {}

async function ask(path, options) {
	let response;
	try {
		response = await fetch(endpoint + path, Object.assign({ credentials: 'same-origin', headers: {} }, options));
	}
	catch (error) {
		throw new Problem('The application cannot be reached.');
	}
	if (response.redirected && !(response.headers.get('content-type') || '').includes('json')) {
		throw new Problem('You are no longer logged in. Load this page again.');
	}
	if (response.ok) {
		return response.status === 204 ? null : response.json();
	}
	throw new Problem(await reasonOf(response) || explain(response.status));
}

// The endpoint describes what is wrong
async function reasonOf(response) {
	if (![400, 409].includes(response.status)) {
		return null;
	}
	const answer = await response.json().catch(() => null);
	return answer && typeof answer.error === 'string' ? answer.error : null;
}

function explain(status) {
	switch (status) {
		case 401: return 'You are no longer logged in. Load this page again.';
		case 403: return 'You may not do that: the server refused it (403).';
		case 404: return 'There is no such record, or the endpoint "idempotency" is not exposed.';
		case 405: return byId('read-only').textContent;
		case 503: return 'The idempotency store failed. The log of the application says why.';
		default: return 'The server responded with ' + status + '.';
	}
}

// Spring Security's CookieCsrfTokenRepository gives scripts their token in this cookie
function csrfHeaders() {
	const cookie = document.cookie.split('; ').find((it) => it.startsWith('XSRF-TOKEN='));
	return cookie ? { 'X-XSRF-TOKEN': decodeURIComponent(cookie.substring('XSRF-TOKEN='.length)) } : {};
}

function element(name, text, className) {
	const made = document.createElement(name);
	if (text !== undefined && text !== null) {
		made.textContent = text;
	}
	if (className) {
		made.className = className;
	}
	return made;
}

function cell(name, content) {
	const made = element('td');
	made.dataset.name = name;
	made.append(content);
	return made;
}

function keyText(record) {
	const made = element('span');
	made.append(element('code', record.key), ' ', element('span', '#' + record.hash, 'quiet'));
	return made;
}

/** Why it is unknown whether an operation has run, by the state of its record. */
const WHY = {
	ABANDONED: 'an attempt did not end: its process may have crashed',
	REPORTED_UNKNOWN: 'the attempt reported that its outcome is unknown'
};

/** An attempt that reports that its outcome is unknown may have committed. */
function isRolledBack(record) {
	return record.state === 'ABANDONED' && record.transactional === true;
}

function stateText(state) {
	return element('span', state.toLowerCase().replaceAll('_', ' '), 'state ' + state);
}

function time(instant) {
	const made = element('time', new Date(instant).toLocaleString());
	made.dateTime = instant;
	return made;
}

function duration(millis) {
	const seconds = Math.round(millis / 1000);
	if (seconds < 60) {
		return seconds + ' s';
	}
	return seconds < 3600 ? Math.floor(seconds / 60) + ' min ' + seconds % 60 + ' s'
		: Math.floor(seconds / 3600) + ' h ' + Math.floor(seconds % 3600 / 60) + ' min';
}

// PT24H, PT1H30M, PT0.5S
function isoDuration(text) {
	const parts = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(text);
	if (!parts) {
		return text;
	}
	const hours = Number(parts[1] || 0);
	const days = hours >= 48 && hours % 24 === 0 ? hours / 24 + ' days' : '';
	return days || [[hours, 'h'], [parts[2], 'min'], [parts[3], 's']].filter((it) => Number(it[0]))
		.map((it) => Number(it[0]) + ' ' + it[1]).join(' ') || '0 s';
}

/* The overview */

async function refresh() {
	if (refreshing) {
		return;
	}
	refreshing = true;
	try {
		const overview = await ask('');
		showCounts(overview);
		showRecent(overview.recent);
		if (overview.records) {
			showRunning(await ask('/records?state=IN_PROGRESS&size=50'));
		}
		fail(null);
		byId('updated').textContent = 'Updated ' + new Date().toLocaleTimeString();
		byId('pulse').className = 'on';
	}
	catch (error) {
		fail(error);
		byId('pulse').className = 'off';
	}
	finally {
		refreshing = false;
	}
}

function fail(error) {
	const place = byId('failure');
	const text = error ? (error instanceof Problem ? error.message : 'This page failed: ' + error.message) : '';
	if (place.textContent !== text) {
		place.textContent = text;
	}
	place.hidden = !error;
}

function showCounts(overview) {
	byId('store').textContent = 'Store: ' + overview.store;
	readOnly = overview.settings.access !== 'UNRESTRICTED';
	const records = overview.records;
	byId('unsearchable').hidden = Boolean(records);
	byId('search').parentElement.hidden = !records;
	byId('running').parentElement.hidden = !records;
	if (!records) {
		return;
	}
	const about = records.exact ? '' : '≈ ';
	byId('estimate').hidden = records.exact;
	byId('count-total').textContent = about + number.format(records.total);
	for (const [state, count] of Object.entries(records.states)) {
		byId('count-' + state).textContent = about + number.format(count);
		byId('count-' + state).classList.toggle('some', count > 0);
	}
	const select = byId('operation');
	const known = new Set(Array.from(select.options, (option) => option.value));
	for (const { operation } of records.operations) {
		if (!known.has(operation)) {
			const option = element('option', operation);
			option.value = operation;
			select.append(option);
		}
	}
}

function showRecent(recent) {
	const slices = recent.executed.length;
	const totals = Array.from({ length: slices }, (_, i) => kinds.reduce((sum, kind) => sum + recent[kind][i], 0));
	const top = Math.max(4, ...totals);
	const width = 720 / slices;
	const rectangles = [];
	for (let i = 0; i < slices; i++) {
		let y = 180;
		for (const kind of kinds) {
			const height = recent[kind][i] / top * 176;
			if (height > 0) {
				y -= height;
				rectangles.push(svg('rect', { class: kind, x: i * width + .5, y, width: width - 1, height }));
			}
		}
	}
	const lines = [.25, .5, .75].map((part) => svg('line', { x1: 0, x2: 720, y1: 180 - part * 176, y2: 180 - part * 176 }));
	byId('plot').replaceChildren(...lines, ...rectangles);
	const sums = kinds.map((kind) => recent[kind].reduce((sum, value) => sum + value, 0));
	kinds.forEach((kind, i) => { byId('sum-' + kind).textContent = number.format(sums[i]); });
	byId('plot-scale').textContent = 'highest bar: ' + number.format(Math.max(...totals)) + ' in ' + recent.seconds + ' s';
	byId('plot-text').textContent = 'Attempts in the last 10 minutes: '
		+ kinds.map((kind, i) => sums[i] + ' ' + kind).join(', ') + '.';
}

function svg(name, attributes) {
	const made = document.createElementNS('http://www.w3.org/2000/svg', name);
	for (const [key, value] of Object.entries(attributes)) {
		made.setAttribute(key, value);
	}
	return made;
}

/* Keys in progress, whose leases run down between two refreshes */

const leases = new Map();

function showRunning(found) {
	const now = Date.now();
	const rows = found.records.map((record) => {
		const known = leases.get(record.id);
		const length = Math.max(record.leaseLeftMillis, known ? known.length : 0);
		leases.set(record.id, { until: now + record.leaseLeftMillis, length });
		const row = element('tr');
		row.dataset.id = record.id;
		const lease = element('span');
		const bar = element('progress');
		bar.setAttribute('aria-label', 'Lease left');
		lease.append(bar, ' ', element('span'));
		row.append(cell('Key', openButton(record)), cell('Operation', record.operation), cell('Attempt', record.attempt),
			cell('Since', time(record.created)), cell('Lease left', lease));
		return row;
	});
	const ids = new Set(found.records.map((record) => record.id));
	leases.forEach((_, id) => ids.has(id) || leases.delete(id));
	replaceRows('running-table', rows);
	byId('running-none').hidden = rows.length > 0 && found.complete;
	byId('running-none').textContent = found.complete ? 'Nothing is in progress.'
		: 'The store has searched only some of its records: what is in progress on other instances may be missing.';
	runDown();
}

function runDown() {
	const now = Date.now();
	for (const row of byId('running-table').tBodies[0].rows) {
		const lease = leases.get(row.dataset.id);
		if (lease) {
			const left = Math.max(0, lease.until - now);
			const bar = row.querySelector('progress');
			bar.max = Math.max(1, lease.length);
			bar.value = left;
			bar.className = left < lease.length / 4 ? 'late' : '';
			bar.nextElementSibling.textContent = duration(left);
		}
	}
}

function replaceRows(id, rows) {
	const table = byId(id);
	const body = table.tBodies[0];
	// A row that has the focus keeps it
	const focused = body.contains(document.activeElement) ? document.activeElement.closest('tr').dataset.id : null;
	body.replaceChildren(...rows);
	table.hidden = rows.length === 0;
	const again = focused && rows.find((row) => row.dataset.id === focused);
	if (again) {
		again.querySelector('button').focus();
	}
}

/* The search */

function query(page) {
	const parameters = new URLSearchParams();
	for (const name of ['operation', 'state']) {
		if (byId(name).value) {
			parameters.set(name, byId(name).value);
		}
	}
	if (byId('age').value) {
		const [name, value] = byId('age').value.split('=');
		parameters.set(name, value);
	}
	parameters.set('page', page);
	return { text: byId('text').value.trim(), parameters };
}

async function search(page) {
	const { text, parameters } = query(page);
	byId('found').textContent = 'Searching…';
	try {
		const looksLikeHash = /^#?[0-9a-f]{6,64}$/i.test(text);
		if (text) {
			parameters.set('key', text);
		}
		let found = text.startsWith('#') ? { records: [] } : await ask('/records?' + parameters);
		if (found.records.length === 0 && looksLikeHash) {
			parameters.delete('key');
			parameters.set('hash', text);
			found = await ask('/records?' + parameters);
		}
		searched = { page, found };
		showFound(page, found);
	}
	catch (error) {
		byId('found').textContent = error.message;
	}
}

function showFound(page, found) {
	const rows = found.records.map((record) => {
		const row = element('tr');
		row.dataset.id = record.id;
		row.append(cell('Key', keyText(record)), cell('Operation', record.operation), cell('State', stateText(record.state)),
			cell('Attempt', record.attempt), cell('Created', time(record.created)), cell('Expires', time(record.expires)),
			cell('', openButton(record, 'Details')));
		return row;
	});
	replaceRows('found-table', rows);
	const some = found.complete === false ? ' The store has searched only some of its records.' : '';
	byId('found').textContent = (rows.length === 0 ? 'No record was found.'
		: rows.length === 1 && page === 0 && !found.more ? 'One record.' : 'The newest first.') + some;
	byId('pages').hidden = page === 0 && !found.more;
	byId('page').textContent = 'Page ' + (page + 1);
	byId('previous').disabled = page === 0;
	byId('next').disabled = !found.more;
}

function openButton(record, text) {
	const button = element('button', text);
	button.type = 'button';
	if (text) {
		button.setAttribute('aria-label', text + ' of ' + record.operation + ', key ' + record.key);
	}
	else {
		button.append(keyText(record));
	}
	button.addEventListener('click', () => open(record.id));
	return button;
}

/* One record */

async function open(id) {
	const dialog = byId('record');
	shownRecord = id;
	askFirst(false);
	byId('record-failure').hidden = true;
	byId('forget').disabled = true;
	byId('forget').hidden = readOnly;
	byId('read-only').hidden = !readOnly;
	byId('settle').hidden = true;
	byId('record-facts').replaceChildren();
	if (!dialog.open) {
		dialog.showModal();
	}
	try {
		const record = await ask('/records/' + id);
		showFacts(record);
		byId('forget').disabled = false;
		byId('settle').hidden = readOnly || !WHY[record.state];
		rolledBack = isRolledBack(record);
		answersRequests = /^[A-Z]+ (\/(?!.* > ).*)?$/.test(record.operation);
	}
	catch (error) {
		recordFailed(error);
	}
}

function showFacts(record) {
	const facts = [['Operation', record.operation], ['Key', element('code', record.key)], ['Hash', element('code', '#' + record.hash)],
		['Caller', record.principal], ['Tenant', record.tenant], ['State', stateOf(record)],
		['Why', WHY[record.state]],
		['In the database', isRolledBack(record) ? 'what the attempt wrote was rolled back' : null],
		['Attempt', record.attempt],
		['Created', time(record.created)], ['Completed', record.completed ? time(record.completed) : null],
		['Expires', time(record.expires)], ['Replays', typeof record.replays === 'number' ? number.format(record.replays) : null],
		['Response', record.answer ? 'status ' + record.answer.status + ', ' + number.format(record.answer.size) + ' bytes' : null],
		['In the store', record.state === 'COMPLETED' ? number.format(record.storedBytes) + ' bytes' : null],
		['Trace', record.trace ? element('code', record.trace) : null]];
	byId('record-facts').replaceChildren(...facts.filter(([, value]) => value !== null && value !== undefined)
		.flatMap(([name, value]) => {
			const definition = element('dd');
			definition.append(value);
			return [element('dt', name), definition];
		}));
}

function stateOf(record) {
	const state = element('span');
	state.append(stateText(record.state));
	if (typeof record.leaseLeftMillis === 'number') {
		state.append(' until its lease ends in ' + duration(record.leaseLeftMillis) + ', or longer if its process is alive');
	}
	return state;
}

function askFirst(asking) {
	byId('settle-form').hidden = true;
	byId('ask').hidden = !asking;
	byId('record-buttons').hidden = asking;
	if (asking) {
		byId('forget-no').focus();
	}
}

function askHowToSettle() {
	byId('settle-form').reset();
	showOutcome();
	byId('record-failure').hidden = true;
	byId('settle-form').hidden = false;
	byId('record-buttons').hidden = true;
	byId('settle-no').focus();
}

function showOutcome() {
	const done = byId('outcome-done').checked;
	byId('settle-answer').hidden = !done || !answersRequests;
	byId('settle-value').hidden = !done || answersRequests;
	byId('settle-rolled-back').hidden = !rolledBack;
	byId('settle-force').hidden = !done || !rolledBack;
	byId('settle-yes').disabled = done ? rolledBack && !byId('force').checked : !byId('outcome-not-done').checked;
}

// Empty fields are left out
function givenOutcome() {
	if (!byId('outcome-done').checked) {
		return { outcome: 'not-done' };
	}
	const fields = answersRequests ? { status: 'answer-status', contentType: 'answer-type', headers: 'answer-headers', body: 'answer-body' }
		: { value: 'value' };
	const given = rolledBack ? { outcome: 'done', force: 'true' } : { outcome: 'done' };
	for (const [name, id] of Object.entries(fields)) {
		if (byId(id).value.trim()) {
			given[name] = name === 'status' ? byId(id).value.trim() : byId(id).value;
		}
	}
	return given;
}

async function settle() {
	const given = givenOutcome();
	try {
		await ask('/records/' + shownRecord, { method: 'POST', body: JSON.stringify(given),
			headers: Object.assign({ 'Content-Type': 'application/json' }, csrfHeaders()) });
		byId('record').close();
		if (searched) {
			await search(searched.page);
		}
		byId('found').textContent = given.outcome === 'done' ? 'Settled as done. It does not run again.'
			: 'Settled as not done. The next request with that key runs.';
		refresh();
	}
	catch (error) {
		recordFailed(error);
	}
}

async function forget() {
	try {
		await ask('/records/' + shownRecord, { method: 'DELETE', headers: csrfHeaders() });
		byId('record').close();
		if (searched) {
			await search(searched.page);
		}
		byId('found').textContent = 'Forgotten. The next request with that key runs.';
		refresh();
	}
	catch (error) {
		askFirst(false);
		recordFailed(error);
	}
}

function recordFailed(error) {
	byId('record-failure').textContent = error.message;
	byId('record-failure').hidden = false;
}

/* What is protected */

async function showOperations() {
	try {
		const audit = await ask('/operations');
		const counts = audit.counts;
		byId('score').value = audit.score;
		byId('score-text').textContent = Math.round(audit.score * 100) + ' %: ' + counts.PROTECTED + ' protected, '
			+ counts.UNPROTECTED + ' not, ' + counts.EXCLUDED + ' excluded on purpose';
		replaceRows('operations-table', audit.operations.map((operation) => {
			const row = element('tr');
			const how = operation.protection;
			const name = element('span');
			name.append(element('b', operation.name), ' ', element('span', operation.handler, 'quiet handler'));
			row.append(cell('Operation', name), cell('Coverage', stateText(operation.coverage)));
			if (how) {
				row.append(cell('Key', how.keySource + (how.keyRequired ? '' : ' (optional)')), cell('Remembered for', isoDuration(how.ttl)),
					cell('While running', how.onConflict === 'WAIT' ? 'waits' : 'refuses'),
					cell('After a crash', how.onCrash === 'REFUSE' ? 'refuses' : 'runs again'));
			}
			else {
				const rest = element('td');
				rest.colSpan = 4;
				row.append(rest);
			}
			return row;
		}));
	}
	catch (error) {
		byId('score-text').textContent = error.message;
	}
}

byId('search').addEventListener('submit', (event) => { event.preventDefault(); search(0); });
byId('previous').addEventListener('click', () => search(searched.page - 1));
byId('next').addEventListener('click', () => search(searched.page + 1));
byId('close').addEventListener('click', () => byId('record').close());
byId('settle').addEventListener('click', askHowToSettle);
byId('settle-no').addEventListener('click', () => { askFirst(false); byId('settle').focus(); });
byId('settle-form').addEventListener('change', showOutcome);
byId('settle-form').addEventListener('input', () => { byId('record-failure').hidden = true; });
byId('settle-form').addEventListener('submit', (event) => { event.preventDefault(); settle(); });
byId('forget').addEventListener('click', () => askFirst(true));
byId('forget-no').addEventListener('click', () => { askFirst(false); byId('forget').focus(); });
byId('forget-yes').addEventListener('click', forget);
byId('pause').addEventListener('click', () => {
	paused = !paused;
	byId('pause').setAttribute('aria-pressed', String(paused));
	byId('pause').textContent = paused ? 'Resume' : 'Pause';
	byId('pulse').className = paused ? '' : 'on';
});
setInterval(() => paused || document.hidden || refresh(), refreshMillis);
setInterval(runDown, 250);
refresh();
showOperations();
