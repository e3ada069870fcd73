// Measures in Chromium how long a step of a rollout takes from the click to the painted frame, with many nodes on the
// page. Usage: node scripts/paint.mjs [nodes] [directory]; CHROME names the browser. Wants an idle machine.
import { chromium } from '@playwright/test';
import { serve } from '../tests/e2e/server.mjs';

const nodes = Number(process.argv[2] ?? 5000);
const server = await serve({ directory: process.argv[3] ?? 'dist' });
const args = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
const browser = await chromium.launch({ executablePath: process.env.CHROME, args });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, serviceWorkers: 'block' });
await page.goto(server.url);
const command = async (line) => {
  await page.locator('#command').fill(line);
  await page.locator('#command').press('Enter');
};
await page.locator('#step').waitFor();
await command(`sim add-node n --count ${nodes - 4}`);
await page.locator('.terminal.open .toggle').click();
await page.locator('.buttons > .labelled').nth(1).click();
await page.waitForFunction(() => document.querySelector('#step').getAttribute('aria-disabled') === 'true', null, { timeout: 0 });
await command(`kubectl patch ds node-exporter -p '{"spec":{"updateStrategy":{"rollingUpdate":{"maxUnavailable":"10%"}}}}'`);
await command('kubectl set image ds/node-exporter node-exporter=prom/node-exporter:v1.9.1');
await page.locator('.terminal.open .toggle').click();

// The CPU time of the page's thread beside the time on the clock: the latter also counts what else the machine does.
const devtools = await page.context().newCDPSession(page);
await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
const busy = async () => (await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
const [clock, cpu] = [[], []];
for (let i = 0; i < 60; i++) {
  const before = await busy();
  clock.push(
    await page.evaluate(
      () =>
        new Promise((done) => {
          const begin = performance.now();
          document.querySelector('#step').click();
          requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
        }),
    ),
  );
  cpu.push((await busy()) - before);
}
const at = (values, share) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))].toFixed(0);
for (const [name, values] of [['on the clock', clock], ['CPU time', cpu]]) {
  console.log(`${nodes} nodes, step → painted, ${name}: ${at(values, 0.5)} ms median, ${at(values, 0.95)} ms 95 %, ${at(values, 1)} ms at most`);
}
await browser.close();
await server.close();
