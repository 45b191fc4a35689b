/*
 * How a page of --html answers in a real Chromium:
 *
 *   node page.mjs CHROMIUM PLAYWRIGHT PAGE ROUNDS
 *
 * Prints one JSON object, times in milliseconds: "paint" until the browser has painted something,
 * "ready" until scripts have run and the page answers, "open" from a click on a finding in the
 * middle of the list until its run is drawn, "step" from a key until the next event is shown,
 * "end" the same for the key that goes to the end of the run with all events, "filter" from a
 * choice in the list of files until the list is drawn anew, "search" the same for a letter typed;
 * "heap" is the scripts' memory in MB. All but the first two are medians of ROUNDS.
 */
import { createRequire } from "node:module";
import path from "node:path";

const [executablePath, playwright, name, rounds] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await (await browser.newContext({ viewport: { width: 1300, height: 900 } })).newPage();
const found = {};

/* In the page: what @act costs until the frame after it, layout and painting included. */
await page.addInitScript(() => {
	window.costOf = act => new Promise(resolve => requestAnimationFrame(() => {
		const begin = performance.now();
		act();
		document.body.getBoundingClientRect();
		requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin), 0));
	}));
	window.press = key => document.querySelector("details[open] .scroll").dispatchEvent(
		new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
});

function median(list) {
	return list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
}

async function cost(act, ...args) {
	const times = [];
	for (let i = 0; i < Number(rounds); i++)
		times.push(await page.evaluate(act, [i, ...args]));
	return median(times);
}

await page.goto("file://" + path.resolve(name));
await page.evaluate(() => costOf(() => {}));
Object.assign(found, await page.evaluate(() => ({
	paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null,
	ready: performance.getEntriesByType("navigation")[0].loadEventEnd,
	findings: document.querySelectorAll("details.finding").length,
})));

found.open = await cost(([round]) => {
	const all = document.querySelectorAll("details.finding");
	const one = all[(Math.floor(all.length / 2) + round) % all.length];
	for (const other of document.querySelectorAll("details.finding[open]"))
		other.open = false;
	return costOf(() => { one.open = true; });
});
await page.locator("details[open] .event.chosen").first().waitFor();
found.step = await cost(([round]) => costOf(() => press(round % 4 === 3 ? "ArrowUp" : "ArrowDown")));
const all = page.locator("details[open]").getByLabel("all events");
if (await all.count())
	await all.first().check();
found.events = await page.evaluate(() => document.querySelector("details[open] .lanes").timeline.rows.length);
found.end = await cost(([round]) => costOf(() => press(round % 2 ? "Home" : "End")));
found.filter = await cost(([round]) => costOf(() => {
	const files = document.getElementById("filter-file");
	files.selectedIndex = round % 2 ? 0 : files.options.length - 1;
	files.dispatchEvent(new Event("change"));
}));
found.search = await cost(([round]) => costOf(() => {
	const search = document.getElementById("search");
	search.value = round % 2 ? "" : "7";
	search.dispatchEvent(new Event("input"));
}));
const session = await page.context().newCDPSession(page);
await session.send("Performance.enable");
const { metrics } = await session.send("Performance.getMetrics");
found.heap = metrics.find(m => m.name === "JSHeapUsedSize").value / 2 ** 20;
console.log(JSON.stringify(found));
await browser.close();
