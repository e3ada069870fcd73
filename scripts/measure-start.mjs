// Measures the first visit on a slowed CPU: when the first view is painted, when the program has taken it over, and when
// Step works (the part of the program that applies and steps is there). Milliseconds from the start of the navigation,
// median of some fresh visits to a server on this machine. Usage: node scripts/measure-start.mjs [directory]; CHROME
// names the browser, SLOWED how many times the CPU is slowed.
import { loadavg } from 'node:os';
import { chromium } from 'playwright-core';
import { serve } from '../tests/e2e/server.mjs';

const SLOWED = Number(process.env.SLOWED ?? 4);
const VISITS = 7;
const server = await serve({ directory: process.argv[2] ?? 'dist' });
const browser = await chromium.launch({ executablePath: process.env.CHROME, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
const found = { painted: [], 'taken over': [], usable: [] };
for (let visit = 0; visit < VISITS; visit += 1) {
  const context = await browser.newContext({ viewport: { width: 1350, height: 940 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  await page.addInitScript(() => {
    const look = () => {
      if (globalThis.takenOver === undefined && document.querySelector('body > .app')) globalThis.takenOver = performance.now();
      if (globalThis.playgroundRest?.ready && globalThis.takenOver !== undefined) globalThis.usable = performance.now();
      else setTimeout(look, 4);
    };
    look();
  });
  await page.goto(server.url);
  await page.waitForFunction(() => globalThis.usable !== undefined);
  const times = await page.evaluate(() => [performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN, globalThis.takenOver, globalThis.usable]);
  Object.values(found).forEach((list, place) => list.push(Math.round(times[place])));
  await context.close();
}
await browser.close();
await server.close();
console.log(`CPU slowed ${SLOWED} times, load of the machine ${loadavg()[0].toFixed(1)}`);
for (const [what, times] of Object.entries(found)) {
  const sorted = times.sort((a, b) => a - b);
  console.log(`${what.padEnd(12)} ${String(sorted[VISITS >> 1]).padStart(6)} ms  (${sorted[0]} to ${sorted.at(-1)})`);
}
