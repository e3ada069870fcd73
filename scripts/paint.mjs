// Measures in Chromium how long a step of a rollout takes from the click to the painted frame, with many nodes on the
// page. Usage: node scripts/paint.mjs [nodes] [directory]; CHROME names the browser. Wants an idle machine.
import { openWithNodes, quantile } from './many-nodes.mjs';

const nodes = Number(process.argv[2] ?? 5000);
const { page, command, busy, settle, close } = await openWithNodes(nodes, process.argv[3] ?? 'dist');
await settle();
await command(`kubectl patch ds node-exporter -p '{"spec":{"updateStrategy":{"rollingUpdate":{"maxUnavailable":"10%"}}}}'`);
await command('kubectl set image ds/node-exporter node-exporter=prom/node-exporter:v1.9.1');
await page.locator('.terminal.open .toggle').click();

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
for (const [name, values] of [['on the clock', clock], ['CPU time', cpu]]) {
  console.log(`${nodes} nodes, step → painted, ${name}: ${quantile(values, 0.5)} ms median, ${quantile(values, 0.95)} ms 95 %, ${quantile(values, 1)} ms at most`);
}
await close();
