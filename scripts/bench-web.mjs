// Measures the engine in Chromium: builds examples/bench_web.rs with the profile of the page, opens it on a server of its own
// and prints what it took. Usage: node scripts/bench-web.mjs [--built]
import { chromium } from '@playwright/test';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { readFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'target', 'bench-web');
const run = (program, ...args) => execFileSync(program, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });

if (!process.argv.includes('--built')) {
  mkdirSync(out, { recursive: true });
  run('cargo', 'build', '--release', '--locked', '--target', 'wasm32-unknown-unknown', '--example', 'bench_web');
  const built = 'target/wasm32-unknown-unknown/release/examples/bench_web.wasm';
  run('wasm-bindgen', '--target', 'web', '--no-typescript', '--out-dir', out, '--out-name', 'bench', built);
  // As index.html has it done to the page.
  run('wasm-opt', '-Oz', '--one-caller-inline-max-function-size=120', '--skip-pass=local-cse', '--strip-debug', join(out, 'bench_bg.wasm'), '-o', join(out, 'bench_bg.wasm'));
}

const types = { js: 'text/javascript', wasm: 'application/wasm' };
const server = createServer((request, response) => {
  const name = new URL(request.url, 'http://localhost').pathname.slice(1);
  if (name === '') return response.setHeader('content-type', 'text/html').end('<!doctype html><title>bench</title>');
  try {
    const body = readFileSync(join(out, name.replace(/[^\w.]/g, '')));
    response.setHeader('content-type', types[name.split('.').pop()] ?? 'application/octet-stream').end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${server.address().port}/`;

const browser = await chromium.launch({
  executablePath: process.env.CHROME || undefined,
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
console.log(`Chromium ${browser.version()}`);

/** Runs a function in a page of its own, so that nothing of an earlier one weighs. */
async function measure(work, argument) {
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  await page.goto(address);
  const result = await page.evaluate(
    async ([source, argument]) => {
      const engine = await import('/bench.js');
      const { memory } = await engine.default();
      const megabytes = () => memory.buffer.byteLength / 1e6;
      return new Function('engine', 'megabytes', 'argument', `return (${source})(engine, megabytes, argument)`)(
        engine,
        megabytes,
        argument,
      );
    },
    [work.toString(), argument],
  );
  await page.close();
  return result;
}

const fixed = (n, digits = 2) => n.toFixed(digits).padStart(9);
const line = (what, ...columns) => console.log(what.padEnd(46) + columns.join(''));

console.log('\none reconcile, ms: median (fastest), and how many times the Go controller needs');
const reconciles = await measure((engine) =>
  engine.shapes().flatMap((shape) =>
    [1000, 5000].map((nodes, index) => [shape, nodes, ...engine.reconcile(shape, nodes), engine.go(shape)[index]]),
  ),
);
for (const [shape, nodes, median, fastest, go] of reconciles) {
  line(`${shape}, ${nodes} nodes`, fixed(median), ` (${fastest.toFixed(2)})`, `   Go ${go}`, `   ${(go / median).toFixed(0)}x`);
}

for (const nodes of [1000, 5000]) {
  const [join, first, rollout, steps, memory] = await measure((engine, megabytes, nodes) => {
    const start = performance.now();
    const bench = engine.Bench.nodes(nodes);
    const join = performance.now() - start;
    const first = bench.play('kubectl apply -f agent.yaml');
    const before = bench.steps();
    const rollout = bench.play('kubectl set image ds/agent agent=agent:v2');
    return [join, first, rollout, bench.steps() - before, megabytes()];
  }, nodes);
  console.log(`\n${nodes} nodes, maxUnavailable 10 %`);
  line('  nodes join', fixed(join, 0), ' ms');
  line('  first pods, to quiet', fixed(first, 0), ' ms');
  line(`  rollout, to quiet (${steps} steps)`, fixed(rollout, 0), ' ms', `  ${((rollout * 1000) / steps).toFixed(0)} µs a step`);
  line('  memory', fixed(memory, 0), ' MB');
}

const [empty, start, end, steps, seeks] = await measure((engine, megabytes) => {
  const empty = megabytes();
  const bench = engine.Bench.running(5000);
  const start = megabytes();
  bench.roll(10000);
  const end = megabytes();
  const steps = bench.steps();
  const seeks = Array.from({ length: 200 }, (_, i) => bench.seek((i * 7919) % steps));
  return [empty, start, end, steps, seeks];
});
seeks.sort((a, b) => a - b);
console.log('\n5000 nodes, 3 DaemonSets');
line('  memory of an empty page', fixed(empty, 0), ' MB');
line('  memory before any step', fixed(start, 0), ' MB');
line(`  memory after ${steps} steps`, fixed(end, 0), ' MB');
line('  one seek: median, 95 %, at most', fixed(seeks[100]), fixed(seeks[190]), fixed(seeks[199]), ' ms');

await browser.close();
server.close();
