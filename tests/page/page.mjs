/*
 * The page of --html in a real Chromium: what is clicked, and what must then be seen.
 *
 *   node page.mjs CHROMIUM PLAYWRIGHT PAGES [SCREENSHOTS]
 *
 * PLAYWRIGHT is the folder of playwright-core, PAGES one with pages that run.py made. Prints a line
 * for each check and ends with status 1 if one fails.
 */
import { createRequire } from "node:module";
import path from "node:path";
import assert from "node:assert/strict";

const [executablePath, playwright, pages, screenshots] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
let failed = 0;

async function open(name, options = {}) {
	const context = await browser.newContext({ viewport: { width: 1300, height: 900 }, ...options });
	const page = await context.newPage();
	page.problems = [];
	page.on("pageerror", error => page.problems.push(error.message));
	page.on("request", request => {
		if (!request.url().startsWith("file:"))
			page.problems.push("asked for " + request.url());
	});
	await page.goto("file://" + path.join(pages, name));
	return page;
}

async function check(what, run) {
	try {
		await run();
		console.log("ok      " + what);
	} catch (error) {
		failed++;
		console.log("FAILED  " + what + "\n" + error.stack);
	}
}

async function close(page) {
	assert.deepEqual(page.problems, []);
	await page.context().close();
}

const chosen = page => page.locator(".event.chosen");

await check("the bank's finding is open, with its first access chosen", async () => {
	const page = await open("bank.html");
	assert.equal(await page.locator("details.finding[open]").count(), 1);
	assert.match(await page.locator("details.finding > summary").first().innerText(),
		/confirmed\s+atomicity violation on 'balance' \(RWW\)/);
	await chosen(page).waitFor();
	assert.match(await chosen(page).innerText(), /^e1 read balance 100 bank_transfer\.c:18/);
	assert.match(await page.locator(".source .now").innerText(), /int now = balance;/);
	assert.equal(await page.locator(".source .now").isVisible(), true);
	await close(page);
});

await check("a lane for each thread, switches as arrows, locks as bars, three accesses marked", async () => {
	const page = await open("bank.html");
	await chosen(page).waitFor();
	assert.deepEqual((await page.locator(".heads div").allInnerTexts()).filter(Boolean), ["T1", "T2", "T3"]);
	assert.ok(await page.locator("svg path.switch").count() >= 2);
	const lock = page.locator("svg rect.lock").first();
	assert.equal(await lock.locator("title").textContent(), "holds lock");
	const scroll = page.locator(".scroll");
	await scroll.focus();
	const roles = [];
	for (const key of ["Home", "n", "n", "n"]) {
		await page.keyboard.press(key);
		roles.push((await chosen(page).innerText()).split(" ")[0]);
	}
	assert.deepEqual(roles.slice(1), ["e1", "f", "e2"]);
	/* The lane of an event is that of its thread: f's is to the right of e2's. */
	const e2 = await chosen(page).boundingBox();
	await page.keyboard.press("p");
	const f = await chosen(page).boundingBox();
	assert.ok(f.x > e2.x + 100);
	await close(page);
});

await check("keys step forwards and backwards, and what is chosen is told beside it", async () => {
	const page = await open("bank.html");
	await chosen(page).waitFor();
	await page.locator(".scroll").focus();
	await page.keyboard.press("ArrowDown");
	assert.match(await chosen(page).innerText(), /^release lock/);
	assert.match(await page.locator(".side table").innerText(), /release/);
	assert.match(await page.locator(".source .now").innerText(), /pthread_mutex_unlock/);
	await page.keyboard.press("ArrowUp");
	assert.match(await page.locator(".side table").innerText(), /value\s+100/);
	assert.match(await page.locator(".side table").innerText(), /holds\s+lock/);
	await page.keyboard.press("End");
	await page.keyboard.press("ArrowDown"); /* there is nothing below */
	assert.equal(await chosen(page).count(), 1);
	await close(page);
});

await check("hovering shows the value and the stack; a click chooses; a frame shows its source", async () => {
	const page = await open("bank.html");
	await chosen(page).waitFor();
	const write = page.locator(".event", { hasText: "f write balance 107" });
	await write.hover();
	const tip = await page.locator("#tip").innerText();
	assert.match(tip, /T3 write balance = 107/);
	assert.match(tip, /#1 deposit bank_transfer\.c:32/);
	await write.click();
	assert.match(await chosen(page).innerText(), /^f write/);
	assert.match(await page.locator(".source .now").innerText(), /balance = value;/);
	await page.locator(".stack a").nth(1).click();
	assert.match(await page.locator(".source .now").innerText(), /set_balance\(get_balance\(\)/);
	await close(page);
});

await check("the replay command is copied", async () => {
	const page = await open("bank.html", { permissions: ["clipboard-read", "clipboard-write"] });
	await page.locator(".command button").first().click();
	await page.getByText("copied").waitFor();
	const text = await page.evaluate(() => navigator.clipboard.readText());
	assert.match(text, /^heddle replay .*atomicity-[0-9a-f]{8}\.htr -- /);
	assert.match(await page.locator(".command code").nth(1).innerText(), /^heddle replay --gdb /);
	await close(page);
});

await check("fewer events on request", async () => {
	const page = await open("bank.html");
	await chosen(page).waitFor();
	const before = await page.locator(".event").count();
	await page.getByLabel("all events").uncheck();
	const after = await page.locator(".event").count();
	assert.ok(after < before && after >= 3);
	assert.match(await chosen(page).innerText(), /^e1 read/);
	await close(page);
});

await check("filters by kind, verdict and file, and search", async () => {
	const page = await open("many.html");
	const shown = () => page.locator("details.finding:visible").count();
	const all = await shown();
	assert.equal(all, 1000);
	await page.locator("#filter-kind").selectOption("deadlock");
	assert.equal(await shown(), 250);
	assert.match(await page.locator("#shown").innerText(), /^250 of 1000/);
	await page.locator("#filter-verdict").selectOption("confirmed");
	assert.equal(await shown(), 126); /* 63 of 125 groups of eight, two each */
	await page.locator("#filter-kind").selectOption("");
	await page.locator("#filter-verdict").selectOption("");
	await page.locator("#filter-file").selectOption("two.c");
	assert.equal(await shown(), 500);
	await page.locator("#search").fill("number 777 ");
	assert.equal(await shown(), 1);
	await close(page);
});

await check("a thousand findings stay usable: opening and filtering take no long time", async () => {
	const page = await open("many.html");
	const nodes = await page.evaluate(() => document.getElementsByTagName("*").length);
	assert.ok(nodes < 20000, `${nodes} elements`);
	await page.locator("details.finding > summary").nth(500).click();
	await page.locator("details.finding[open] .command").first().waitFor();
	await close(page);
});

await check("a run of ten thousand events: only what is in sight is drawn", async () => {
	const page = await open("long.html");
	await chosen(page).waitFor();
	await page.getByLabel("all events").check();
	assert.ok(await page.evaluate(() => document.querySelector(".lanes").timeline.rows.length) > 10000);
	assert.ok(await page.locator(".event").count() < 80);
	await page.locator(".scroll").focus();
	await page.keyboard.press("End");
	assert.ok(Number(await page.locator(".number").last().innerText()) > 9000);
	await page.keyboard.press("Home");
	assert.ok(await page.locator(".event").count() < 80);
	await page.keyboard.press("n");
	assert.match(await chosen(page).innerText(), /^e1 /);
	await close(page);
});

await check("the tree of tasks and the set of variables are drawn", async () => {
	const tasks = await open("tasks.html");
	await tasks.locator("svg.tasks").first().waitFor();
	assert.equal(await tasks.locator("svg.tasks .step").count() >= 2, true);
	assert.match(await tasks.locator("svg.tasks").first().textContent(), /finish/);
	await close(tasks);
	const set = await open("set.html");
	await set.locator("svg.set").first().waitFor();
	assert.deepEqual(await set.locator("svg.set .member text").allTextContents(), ["low", "high"]);
	assert.equal(await set.locator("svg.set line.apart").count(), 2); /* the two, and the legend's */
	await close(set);
});

await check("the run of a deadlock ends with who waits for what", async () => {
	const page = await open("deadlock.html");
	assert.match(await page.locator("details.finding > summary").first().innerText(), /deadlock: T2 waits for mutex/);
	await chosen(page).waitFor();
	assert.match(await chosen(page).innerText(), /^\* waits for mutex 'bob\.lock' held by T3/);
	assert.match(await page.locator(".side table").innerText(), /at the end\s+waits for mutex 'bob\.lock'[^]*holds\s+alice\.lock/);
	assert.match(await page.locator(".source .now").innerText(), /pthread_mutex_lock\(&to->lock\)/);
	await page.locator(".scroll").focus();
	await page.keyboard.press("n");
	assert.match(await chosen(page).innerText(), /^\* waits for mutex 'alice\.lock' held by T2/);
	await close(page);
});

await check("light and dark", async () => {
	const page = await open("bank.html", { colorScheme: "dark" });
	const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	const dark = await paper();
	await page.locator("#theme").click();
	const light = await paper();
	assert.notEqual(dark, light);
	assert.equal(light, "rgb(255, 255, 255)");
	await close(page);
});

await check("without scripts it is readable as text", async () => {
	const page = await open("bank.html", { javaScriptEnabled: false });
	assert.equal(await page.locator("pre.text").first().isVisible(), true);
	assert.match(await page.locator("pre.text").first().innerText(), /HEDDLE: atomicity violation on 'balance'/);
	await close(page);
	const many = await open("many.html", { javaScriptEnabled: false });
	assert.equal(await many.locator("pre.text").first().isVisible(), false);
	await many.locator("details.finding > summary").first().click();
	assert.equal(await many.locator("pre.text").first().isVisible(), true);
	await close(many);
});

await check("on paper every finding is told", async () => {
	const page = await open("many.html");
	await page.emulateMedia({ media: "print" });
	assert.equal(await page.locator("#tools").isVisible(), false);
	const heights = await page.evaluate(() => [0, 500, 999].map(i =>
		document.querySelectorAll("details.finding")[i].getBoundingClientRect().height));
	assert.ok(Math.min(...heights) > 200, `${heights}`);
	await close(page);
});

await check("hostile names are only text", async () => {
	const page = await open("hostile.html");
	assert.equal(await page.evaluate(() => window.broken), undefined);
	assert.match(await page.locator("details.finding > summary").first().innerText(), /<script>/);
	await close(page);
});

if (screenshots) {
	for (const name of ["bank", "tasks", "set", "many", "long"]) {
		for (const colorScheme of ["light", "dark"]) {
			const page = await open(name + ".html", { colorScheme });
			await page.waitForTimeout(300);
			await page.screenshot({ path: path.join(screenshots, `${name}-${colorScheme}.png`) });
			await page.context().close();
		}
	}
}
await browser.close();
process.exit(failed ? 1 : 0);
