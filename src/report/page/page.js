"use strict";
/*
 * Makes the page draw its findings. Everything is in the page already: the document that --json
 * writes, the runs that show the findings, and source files. Without this script the findings are
 * there as text.
 */
(() => {
const data = id => JSON.parse(document.getElementById(id).textContent);
const report = data("document");
const witnesses = data("witnesses");
const sources = data("sources");
const findings = report.findings.concat(report.candidates || []);

const ROW = 22;          // pixels of an event
const TALL = 460;        // of a run, at most; the rest is scrolled to
const NUMBERS = 56;      // of the column of event numbers
const LANE = 130;        // of a thread, at least
const LAST_LANE = 340;   // of the last one, whose lines have no room to their right
const FEW_EVENTS = 80;   // a run that is shown whole at first
/* What heddle or libc keep account of, not what the program does. */
const BOOKKEEPING = new Set(["alloc", "free", "locals", "thread-begin", "thread-end", "outside", "goal"]);

function make(tag, properties = {}, ...children) {
	const element = document.createElement(tag);
	for (const [key, value] of Object.entries(properties)) {
		if (key === "dataset")
			Object.assign(element.dataset, value);
		else if (key.startsWith("on"))
			element.addEventListener(key.slice(2), value);
		else
			element[key] = value;
	}
	element.append(...children.filter(child => child !== null && child !== undefined));
	return element;
}

function draw(tag, attributes = {}, ...children) {
	const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [key, value] of Object.entries(attributes))
		element.setAttribute(key, value);
	element.append(...children);
	return element;
}

/** Nanoseconds for people: "10 ms". */
function duration(ns) {
	const [unit, size] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]].find(([, size]) => ns >= size) || ["ns", 1];
	return `${Math.round(ns / size * 10) / 10} ${unit}`;
}

/** What is as large as an address most likely is one. */
function shownValue(text) {
	return text.length > 13 ? "0x" + BigInt(text).toString(16) : text;
}

const baseName = path => path ? path.slice(path.lastIndexOf("/") + 1) : "";

/* ---- runs ------------------------------------------------------------------------------ */

const parsed = new Map();

/** A witness with its strings taken apart: {events, threads, before, after, problem}. */
function runOf(path) {
	if (!parsed.has(path))
		parsed.set(path, path && witnesses[path] ? parseRun(witnesses[path]) : null);
	return parsed.get(path);
}

function parseRun(raw) {
	if (!raw.events)
		return { events: [], threads: [], before: 0, after: 0, problem: raw.problem };
	const places = raw.places.map(text => text.split("\n").map(frame => {
		const [file, line, name] = frame.split("\t");
		return { file, line: Number(line), function: name };
	}));
	const contexts = raw.contexts.map(text => text.split("\t").map(Number));
	const stackOf = (place, context) => {
		const frames = [...(place || [])];
		for (let at = context; at >= 0; at = contexts[at][0]) {
			if (places[contexts[at][1]])
				frames.push(...places[contexts[at][1]]);
		}
		return frames;
	};
	const events = raw.events.map(text => {
		const [number, thread, op, object, value, place, context] = text.split("\t");
		const where = places[place] || null;
		return { number: Number(number), thread: "T" + thread, op, object,
			value: op === "sleep" ? duration(Number(value)) : shownValue(value), place: where && where[0],
			stack: () => stackOf(where, Number(context)) };
	});
	return { ...raw, events };
}

/** The steps of a finding that has no recorded run: what the document tells of them. */
function stepsOf(finding) {
	const steps = finding.interleaving || [];
	const events = steps.filter(step => step.thread).map((step, index) => {
		const place = step.file ? { file: step.file, line: step.line, function: step.function } : null;
		const words = (step.step || "").replace(/ [^ ]+:[0-9]+$/, "");
		return { number: index, thread: step.thread, op: words, object: "", value: "", place,
			role: step.access ? "*" : "", stack: () => place ? [place] : [] };
	});
	return { events, threads: [...new Set(events.map(event => event.thread))], before: 0, after: 0 };
}

/**
 * A finding that is about where threads stand (a deadlock, a crash) ends its run with a row for each of
 * them: what it waits for, or what became of it.
 */
function withEnds(finding, run) {
	const standing = (finding.accesses || []).filter(access => access.event === undefined);
	const ends = standing.map(access => {
		const thread = (finding.threads || []).find(one => one.thread === access.thread);
		const text = access.role === "culprit" ? finding.summary : access.text || access.op;
		return { number: "", thread: access.thread, op: text.replace(new RegExp(`^${access.thread}( "[^"]*")?:? `), ""),
			object: "", value: "", role: "*", access, place: access.file ? access : null,
			stack: () => thread ? thread.stack.filter(frame => frame.file) : [] };
	});
	return ends.length ? { ...run, events: [...run.events, ...ends] } : run;
}

/** Where a thread was held up while time passed for the others: a row behind the last thing that it did there. */
function withStalls(finding, run) {
	const events = [...run.events];
	for (const stall of finding.stalls || []) {
		const at = events.findLastIndex(event => event.thread === stall.thread && event.place &&
			event.place.line === stall.line && event.place.file === stall.file);
		const last = at >= 0 ? at : events.findLastIndex(event => event.thread === stall.thread);
		const place = stall.file ? { file: stall.file, line: stall.line, function: stall.function } : null;
		events.splice(last + 1, 0, { number: "", thread: stall.thread, op: "is held up for", object: "",
			value: duration(stall.ns), place, stall: true, stack: () => place ? [place] : [] });
	}
	return { ...run, events };
}

/* ---- locks ------------------------------------------------------------------------------ */

const TAKES = new Set(["acquire", "isolated-begin"]);
const GIVES = new Set(["release", "isolated-end"]);

/** For each lock and thread the rows between which it is held: {lane, from, to, name}. */
function lockBars(rows, lanes) {
	const open = new Map(), bars = [];
	rows.forEach((event, row) => {
		const key = event.thread + " " + event.object;
		if (TAKES.has(event.op) && !open.has(key)) {
			const bar = { lane: lanes.get(event.thread), from: row, to: rows.length, name: event.object };
			open.set(key, bar);
			bars.push(bar);
		} else if (GIVES.has(event.op) && open.has(key)) {
			open.get(key).to = row;
			open.delete(key);
		}
	});
	return bars;
}

function hueOf(name) {
	let hash = 7;
	for (const char of name)
		hash = (hash * 31 + char.charCodeAt(0)) % 360;
	return hash;
}

/* ---- the drawing of a run --------------------------------------------------------------- */

class Timeline {
	constructor(finding, run, onChoose) {
		this.finding = finding;
		this.run = run;
		this.onChoose = onChoose;
		this.roles = new Map((finding.accesses || []).filter(access => access.event !== null)
			.map(access => [access.event, access.role]));
		this.older = new Map((finding.older_values || []).filter(read => read.event !== null)
			.map(read => [read.event, read]));
		this.all = run.events.length <= FEW_EVENTS;
		this.books = false;
		this.chosen = -1;
		this.canvas = make("div", { className: "canvas" });
		this.scroll = make("div", { className: "scroll", tabIndex: 0, role: "listbox",
			ariaLabel: "the run, one event a line", onscroll: () => this.render(),
			onkeydown: event => this.key(event) }, this.canvas);
		this.heads = make("div", { className: "heads" });
		this.element = make("div", { className: "lanes" }, this.heads, this.scroll);
		this.element.timeline = this;
		this.involved = new Set((finding.accesses || []).map(access => access.thread)
			.concat((finding.threads || []).map(thread => thread.thread || thread.id)));
		this.canvas.addEventListener("click", event => this.clicked(event));
		new ResizeObserver(() => this.layout()).observe(this.scroll);
		this.select();
	}

	roleOf(event) {
		return this.roles.get(event.number) || event.role || "";
	}

	/** Events that say something about the finding: its accesses, and what its threads wait for. */
	isRelevant(event) {
		const quiet = ["read", "write", "read-range", "write-range"];
		if (event.object === this.finding.variable)
			return true;
		return this.involved.has(event.thread) && !quiet.includes(event.op);
	}

	isShown(event) {
		if (this.roleOf(event) || event.stall || this.older.has(event.number))
			return true;
		return (this.books || !BOOKKEEPING.has(event.op)) && (this.all || this.isRelevant(event));
	}

	select() {
		const marked = this.rows ? this.rows[this.chosen] : null;
		this.rows = this.run.events.filter(event => this.isShown(event));
		const names = [...new Set(this.rows.map(event => event.thread))]
			.sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
		this.lanes = new Map(names.map((name, index) => [name, index]));
		this.bars = lockBars(this.rows, this.lanes);
		this.marks = this.rows.map((event, row) => this.roleOf(event) ? row : -1).filter(row => row >= 0);
		this.chosen = marked ? this.rows.indexOf(marked) : -1;
		this.layout();
	}

	layout() {
		const room = this.scroll.clientWidth - NUMBERS - 4, others = Math.max(this.lanes.size - 1, 1);
		this.lane = Math.max(LANE, Math.floor((room - LAST_LANE) / others));
		this.last = Math.max(this.lane, LAST_LANE);
		const width = this.width();
		this.canvas.style.width = width + "px";
		this.canvas.style.height = this.rows.length * ROW + "px";
		this.scroll.style.height = Math.min(TALL, this.rows.length * ROW + ROW) + "px";
		this.heads.replaceChildren(make("div", { style: `width:${NUMBERS}px` }), ...[...this.lanes.keys()]
			.map((name, index) => {
				const wide = index + 1 < this.lanes.size ? this.lane : this.last;
				const full = this.run.threads.find(text => text.split(" ")[0] === name) || name;
				return make("div", { style: `width:${wide}px`, textContent: full, title: full });
			}));
		this.heads.style.width = width + "px";
		this.render();
	}

	width() {
		return NUMBERS + this.lane * Math.max(this.lanes.size - 1, 0) + this.last;
	}

	left(event) {
		return NUMBERS + this.lanes.get(event.thread) * this.lane;
	}

	render() {
		const top = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - 8);
		const bottom = Math.min(this.rows.length, top + Math.ceil(this.scroll.clientHeight / ROW) + 16);
		const nodes = [this.lines(top, bottom)];
		for (let row = top; row < bottom; row++)
			nodes.push(...this.line(row));
		this.canvas.replaceChildren(...nodes);
		this.heads.style.transform = `translateX(${-this.scroll.scrollLeft}px)`;
	}

	line(row) {
		const event = this.rows[row], role = this.roleOf(event);
		const place = event.place ? ` ${baseName(event.place.file)}:${event.place.line}` : "";
		const text = [event.op, event.object, event.value].filter(part => part !== "").join(" ");
		const older = this.older.has(event.number), left = this.left(event);
		const element = make("div", { className: "event" + (role ? " mark" : "") + (event.stall ? " stall" : "")
			+ (older ? " older" : "") + (row === this.chosen ? " chosen" : ""), dataset: { row }, role: "option",
			ariaSelected: row === this.chosen,
			/* One event a line: it has the room of the lanes to its right. */
			style: `top:${row * ROW}px;left:${left}px;min-width:${this.lane - 6}px;max-width:${this.width() - left - 6}px` },
			role ? make("span", { className: "role", textContent: role === "*" ? "* " : role + " " }) : null,
			text, older ? make("span", { className: "stale", textContent: ", an older value" }) : null,
			make("span", { className: "where", textContent: place }));
		return [make("div", { className: "number", textContent: event.number,
			style: `top:${row * ROW}px` }), element];
	}

	/** Lock bars and the arrows between threads, of the rows in sight. */
	lines(top, bottom) {
		const width = this.width();
		const svg = draw("svg", { width, height: (bottom - top) * ROW, style: `top:${top * ROW}px`,
			viewBox: `0 ${top * ROW} ${width} ${(bottom - top) * ROW}` });
		for (const bar of this.bars) {
			if (bar.to < top || bar.from > bottom)
				continue;
			svg.append(draw("rect", { class: "lock", x: NUMBERS + bar.lane * this.lane + 3, width: 5, rx: 2,
				y: bar.from * ROW + 4, height: Math.max(6, (bar.to - bar.from) * ROW + 12),
				fill: `hsl(${hueOf(bar.name)} 60% 50%)` }, draw("title", {}, "holds " + bar.name)));
		}
		for (let row = Math.max(top, 1); row < bottom; row++) {
			const from = this.rows[row - 1], to = this.rows[row];
			if (from.thread === to.thread || to.access) /* where threads stand at the end is no switch */
				continue;
			const y = row * ROW, x1 = this.left(from) + 14, x2 = this.left(to) + 8;
			svg.append(draw("path", { class: "switch", fill: "none", stroke: "var(--accent)",
				"stroke-width": 1.3, d: `M${x1} ${y - 3} C${x1} ${y + 8} ${x2} ${y - 10} ${x2} ${y + 5}` }),
			draw("path", { fill: "var(--accent)", stroke: "none",
				d: `M${x2 - 3.5} ${y + 3} L${x2 + 3.5} ${y + 3} L${x2} ${y + 9} Z` }));
		}
		svg.append(...this.staleReads(top, bottom));
		return svg;
	}

	/** From the store of an older value to the load that read it. */
	staleReads(top, bottom) {
		const curves = [];
		for (let row = top; row < bottom; row++) {
			const to = this.rows[row], read = this.older.get(to.number);
			const from = read && read.written ? this.rows.slice(0, row).findLastIndex(event =>
				event.thread === read.written.by && event.object === to.object && event.place &&
				event.place.line === read.written.line) : -1;
			if (from < 0)
				continue;
			const x1 = this.left(this.rows[from]) + 8, y1 = from * ROW + 18, x2 = this.left(to) + 8, y2 = row * ROW + 5;
			curves.push(draw("path", { class: "stale", fill: "none", stroke: "var(--mild)", "stroke-width": 1.5,
				"stroke-dasharray": "4 3", d: `M${x1} ${y1} C${x1} ${y1 + 30} ${x2} ${y2 - 30} ${x2} ${y2}` }));
		}
		return curves;
	}

	choose(row) {
		if (row < 0 || row >= this.rows.length)
			return;
		this.chosen = row;
		const y = row * ROW, view = this.scroll;
		if (y < view.scrollTop + ROW || y > view.scrollTop + view.clientHeight - 3 * ROW)
			view.scrollTop = y - view.clientHeight / 2;
		this.render();
		this.onChoose(this.rows[row], row);
	}

	/** To the next marked access after the chosen event, or before it. */
	jump(direction) {
		const rows = direction > 0 ? this.marks.filter(row => row > this.chosen)
			: this.marks.filter(row => row < this.chosen).reverse();
		if (rows.length)
			this.choose(rows[0]);
	}

	key(event) {
		const page = Math.max(1, Math.floor(this.scroll.clientHeight / ROW) - 2);
		const moves = { ArrowDown: () => this.choose(this.chosen + 1), j: () => this.choose(this.chosen + 1),
			ArrowUp: () => this.choose(this.chosen - 1), k: () => this.choose(this.chosen - 1),
			n: () => this.jump(1), p: () => this.jump(-1), Home: () => this.choose(0),
			End: () => this.choose(this.rows.length - 1),
			PageDown: () => this.choose(Math.min(this.chosen + page, this.rows.length - 1)),
			PageUp: () => this.choose(Math.max(this.chosen - page, 0)) };
		if (event.ctrlKey || event.metaKey || event.altKey || !moves[event.key])
			return;
		event.preventDefault();
		moves[event.key]();
	}

	clicked(event) {
		const target = event.target.closest(".event");
		if (target)
			this.choose(Number(target.dataset.row));
	}
}

/* ---- what is chosen --------------------------------------------------------------------- */

const frameText = frame => `${frame.function || "?"} ${baseName(frame.file)}:${frame.line}`;

function sourceView(frame, hits) {
	const text = frame && sources[frame.file];
	if (!text)
		return null;
	const lines = text.split("\n");
	const element = make("div", { className: "source" },
		make("div", { className: "name", textContent: `${frame.file}:${frame.line}` }));
	const first = Math.max(1, frame.line - 40), last = Math.min(lines.length, frame.line + 40);
	let now = null;
	for (let line = first; line <= last; line++) {
		const row = make("div", { className: "line", textContent: lines[line - 1] || " ",
			dataset: { line } });
		if (hits.some(hit => hit.file === frame.file && hit.line === line))
			row.classList.add("hit");
		if (line === frame.line) {
			row.classList.add("now");
			now = row;
		}
		element.append(row);
	}
	requestAnimationFrame(() => { element.scrollTop = now.offsetTop - element.clientHeight / 2; });
	return element;
}

function sideView(finding, event) {
	const side = make("div", { className: "side" });
	const hits = finding.accesses || [];
	const show = frame => {
		const old = side.querySelector(".source"), view = sourceView(frame, hits);
		if (old)
			old.remove();
		if (view)
			side.append(view);
	};
	const row = (name, text) => text === "" || text === undefined || text === null ? null
		: make("tr", {}, make("td", { textContent: name }), make("td", { className: "mono", textContent: text }));
	const access = event.access || hits.find(one => one.event === event.number) || {};
	side.append(make("table", {}, row("event", event.number), row("thread", event.thread),
		row("in", access.construct ? access.construct.text : ""),
		row(event.access ? "at the end" : "does", event.op + (access.role && !event.access ? ` (${access.role})` : "")),
		row("on", event.object),
		row("value", event.value), row("holds", (access.locks || []).join(", "))));
	const stack = event.stack();
	if (stack.length) {
		side.append(make("h3", { textContent: "Stack" }), make("ol", { className: "stack", start: 0 },
			...stack.map(frame => make("li", {}, make("a", { textContent: frameText(frame),
				onclick: () => show(frame) })))));
	}
	show(stack.find(frame => sources[frame.file]) || null);
	return side;
}

/* ---- task trees and sets ---------------------------------------------------------------- */

/** "step 7 < task T2 | step 8 < task T3 in finish 3" as a tree with the two steps at its leaves. */
function taskTree(detail) {
	const match = /: (step .+?) \| (step .+?) in ([^;\n]+)/.exec(detail || "");
	if (!match)
		return null;
	const sides = [match[1], match[2]].map(text => text.split(" < ").reverse());
	const depth = Math.max(...sides.map(side => side.length));
	const svg = draw("svg", { viewBox: `0 0 420 ${70 + depth * 54}`, width: 420, class: "tasks" });
	const node = (x, y, text, step) => {
		const width = Math.max(80, text.length * 7.6 + 18);
		return draw("g", { class: step ? "leaf" : "inner" }, draw("rect", { class: step ? "step" : "node",
			x: x - width / 2, y: y - 14, width, height: 28, rx: 6 }), draw("text", { x, y: y + 4,
			"text-anchor": "middle" }, text));
	};
	sides.forEach((side, index) => {
		let x = 210, y = 26;
		side.forEach((text, level) => {
			const nx = index ? 310 : 110, ny = 80 + level * 54;
			svg.prepend(draw("line", { x1: x, y1: y + 14, x2: nx, y2: ny - 14 }));
			svg.append(node(nx, ny, text, level === side.length - 1));
			x = nx;
			y = ny;
		});
	});
	svg.append(node(210, 26, match[3].trim(), false));
	return make("div", { className: "drawn" }, make("h3", { textContent: "Why the two can run in parallel" }), svg);
}

/** Variables that belong together, as points that are joined; apart: those with no common lock. */
function setGraph(finding) {
	const names = finding.variables || [];
	if (names.length < 2)
		return null;
	const wide = 520, high = names.length > 2 ? 300 : 90;
	const svg = draw("svg", { viewBox: `0 0 ${wide} ${high + 24}`, width: wide, class: "set" });
	const at = names.map((name, index) => {
		const turn = (index / names.length * 2 - 1) * Math.PI; /* two are side by side */
		return { name, x: wide / 2 + 150 * Math.cos(turn), y: high / 2 + (high / 2 - 40) * Math.sin(turn) };
	});
	const locksOf = name => new Set((finding.accesses || []).filter(access => access.variable === name)
		.flatMap(access => access.locks || []));
	at.forEach((a, i) => at.slice(i + 1).forEach(b => {
		const common = [...locksOf(a.name)].some(lock => locksOf(b.name).has(lock));
		svg.append(draw("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: common ? "joined" : "apart" }));
	}));
	for (const one of at) {
		const width = one.name.length * 7.6 + 18;
		svg.append(draw("g", { class: "member" }, draw("rect", { class: "node", x: one.x - width / 2, y: one.y - 14,
			width, height: 28, rx: 14 }), draw("text", { x: one.x, y: one.y + 4, "text-anchor": "middle" }, one.name)));
	}
	svg.append(draw("line", { class: "joined", x1: 20, x2: 50, y1: high + 8, y2: high + 8 }),
		draw("text", { x: 56, y: high + 12 }, "a common lock"),
		draw("line", { class: "apart", x1: 200, x2: 230, y1: high + 8, y2: high + 8 }),
		draw("text", { x: 236, y: high + 12 }, "no common lock in what is reported"));
	return make("div", { className: "drawn" }, make("h3", { textContent: "Variables that belong together" }), svg);
}

/* ---- a finding -------------------------------------------------------------------------- */

async function copy(text, button) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const area = make("textarea", { value: text });
		document.body.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
	}
	button.textContent = "copied";
	setTimeout(() => { button.textContent = "copy"; }, 1500);
}

function commandLine(label, text) {
	const button = make("button", { textContent: "copy", title: "copy this command",
		onclick: () => copy(text, button) });
	return make("div", { className: "command" }, make("span", { className: "label", textContent: label }),
		make("code", { textContent: text }), button);
}

function commands(finding) {
	if (!finding.replay)
		return [];
	const lines = [commandLine("replay", finding.replay)];
	if (finding.replay.startsWith("heddle replay "))
		lines.push(commandLine("in gdb", finding.replay.replace("heddle replay ", "heddle replay --gdb ")));
	return lines;
}

function runView(finding) {
	const recorded = runOf(finding.schedule);
	const drawn = recorded && recorded.events.length;
	const run = withEnds(finding, withStalls(finding, drawn ? recorded : stepsOf(finding)));
	if (!run.events.length)
		return null;
	const place = make("div", {});
	const timeline = new Timeline(finding, run, event => place.replaceChildren(sideView(finding, event)));
	const left = ["before", "between", "after"].filter(side => run[side]).map(side => `${run[side]} events ${side}`)
		.join(", ");
	const bar = make("div", { className: "bar" },
		make("button", { textContent: "◀ access", title: "key p", onclick: () => timeline.jump(-1) }),
		make("button", { textContent: "access ▶", title: "key n", onclick: () => timeline.jump(1) }),
		make("button", { textContent: "◀ event", title: "arrow up", onclick: () => timeline.choose(timeline.chosen - 1) }),
		make("button", { textContent: "event ▶", title: "arrow down", onclick: () => timeline.choose(timeline.chosen + 1) }),
		drawn ? make("label", {}, make("input", { type: "checkbox", checked: timeline.all,
			onchange: event => { timeline.all = event.target.checked; timeline.select(); } }), " all events") : null,
		drawn ? make("label", { title: "memory and threads that begin and end" }, make("input", { type: "checkbox",
			onchange: event => { timeline.books = event.target.checked; timeline.select(); } }), " book-keeping") : null,
		make("span", { className: "hint", textContent: "keys: ↑ ↓ n p" + (left ? `; not drawn: ${left}` : "") }));
	const view = make("div", { className: "run" }, make("div", {}, bar, timeline.element), place);
	requestAnimationFrame(() => timeline.choose(timeline.marks.length ? timeline.marks[0] : 0));
	return view;
}

function fill(element, finding) {
	const text = element.querySelector("pre.text");
	const run = runOf(finding.schedule), view = runView(finding);
	text.before(...[finding.outcome ? make("p", { className: "outcome", textContent: "Outcome: " + finding.outcome }) : null,
		...(finding.stalls || []).map(stall => make("p", { className: "detail", textContent: "It " + stall.text })),
		...(finding.older_values || []).map(read => make("p", { className: "detail", textContent: "An older value: " + read.text })),
		finding.detail ? make("p", { className: "detail", textContent: finding.detail }) : null,
		...commands(finding),
		finding.remedy ? make("p", { className: finding.remedy.found ? "remedy" : "detail",
			textContent: "Remedy: " + finding.remedy.text }) : null,
		run && run.problem ? make("p", { className: "detail", textContent: "The run is not drawn: " + run.problem }) : null,
		view, taskTree(finding.detail), setGraph(finding)].filter(Boolean));
	const folded = make("details", { className: "astext", open: !view }, make("summary", { textContent: "as text" }));
	text.replaceWith(folded);
	folded.append(text);
}

/* ---- the list --------------------------------------------------------------------------- */

const elements = [...document.querySelectorAll("details.finding")];
const headlines = elements.map(element => element.firstElementChild.textContent.toLowerCase());
const filters = {};

function apply() {
	const search = filters.search.value.toLowerCase();
	let shown = 0;
	const wanted = ["kind", "verdict", "file"].map(name => [name, filters[name].value]).filter(([, value]) => value);
	elements.forEach((element, index) => {
		const fits = wanted.every(([name, value]) => element.dataset[name] === value) &&
			headlines[index].includes(search);
		if (element.hidden === fits)
			element.hidden = !fits;
		shown += fits;
	});
	document.getElementById("shown").textContent = `${shown} of ${elements.length} shown`;
}

function chooser(name) {
	const counts = new Map();
	for (const element of elements)
		counts.set(element.dataset[name], (counts.get(element.dataset[name]) || 0) + 1);
	filters[name] = make("select", { id: "filter-" + name, onchange: apply },
		make("option", { value: "", textContent: "all" }),
		...[...counts].filter(([value]) => value).sort().map(([value, count]) =>
			make("option", { value, textContent: `${value} (${count})` })));
	return make("label", {}, name + " ", filters[name]);
}

function toolbar() {
	filters.search = make("input", { type: "search", id: "search", placeholder: "search", oninput: apply });
	const theme = make("button", { id: "theme", textContent: "light / dark", onclick: () => {
		const dark = matchMedia("(prefers-color-scheme: dark)").matches;
		const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
		document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
	} });
	return make("div", { id: "tools" }, chooser("kind"), chooser("verdict"), chooser("file"), filters.search,
		theme, make("span", { id: "shown" }));
}

/* ---- hovering --------------------------------------------------------------------------- */

let tip = null;

function hover(event) {
	const target = event.target.closest ? event.target.closest(".event") : null;
	if (tip)
		tip.remove();
	tip = null;
	if (!target)
		return;
	const timeline = target.closest(".lanes").timeline;
	const one = timeline.rows[Number(target.dataset.row)];
	const lines = [`${one.number}: ${one.thread} ${one.op} ${one.object}` + (one.value !== "" ? ` = ${one.value}` : ""),
		...one.stack().map((frame, index) => `#${index} ${frameText(frame)}`)];
	tip = make("div", { id: "tip", textContent: lines.join("\n") });
	document.body.append(tip);
	const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
	const y = event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 8 : event.clientY + 18;
	tip.style.left = Math.max(x, 4) + "px";
	tip.style.top = Math.max(y, 4) + "px";
}

/* ---- begin ------------------------------------------------------------------------------ */

document.querySelector("header").after(toolbar());
apply();
const filled = new Set();

function opened(element) {
	if (element.open && !filled.has(element)) {
		filled.add(element);
		fill(element, findings[elements.indexOf(element)]);
	}
}

/* Few are open for those who have no scripts; with them, the first is enough. */
elements.forEach((element, index) => {
	element.open = index === 0 && elements.length <= 3;
	element.addEventListener("toggle", () => opened(element));
	opened(element);
});
document.addEventListener("mouseover", hover);
})();
