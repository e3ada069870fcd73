// Measures in Chromium whether scrolling and pointing stay fluid with many nodes on the page: the map, the story and the
// table, scrolled by the wheel from top to bottom, and the pointer moved over the map. A frame at 60 Hz has 16.7 ms; what
// counts is how busy the page's own thread is in it. Usage: node scripts/scroll.mjs [nodes] [directory]; CHROME names the
// browser. Wants an idle machine.
import { openWithNodes, quantile } from './many-nodes.mjs';

const nodes = Number(process.argv[2] ?? 5000);
const { page, busy, settle, close } = await openWithNodes(nodes, process.argv[3] ?? 'dist');
await settle();

/** Does something while every frame of the page is timed, and prints what came of it. */
async function measure(name, work) {
  await page.evaluate(() => {
    const frames = (globalThis.frames_ = []);
    globalThis.long_ = [];
    (globalThis.watch_ ??= new PerformanceObserver((list) => globalThis.long_.push(...list.getEntries().map(({ duration }) => duration)))).observe({ type: 'longtask' });
    let last = performance.now();
    globalThis.counting_ = true;
    const tick = () => {
      const now = performance.now();
      frames.push(now - last);
      last = now;
      if (globalThis.counting_) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  const before = await busy();
  await work();
  const used = (await busy()) - before;
  const { frames, long } = await page.evaluate(() => ((globalThis.counting_ = false), { frames: globalThis.frames_, long: globalThis.long_ }));
  const counted = frames.slice(1);
  const late = counted.filter((ms) => ms > 34).length;
  console.log(
    `${nodes} nodes, ${name}: a frame takes ${quantile(counted, 0.5)} ms median, ${quantile(counted, 0.95)} ms 95 %, ${quantile(counted, 1)} ms at most; ${late} of ${counted.length} late; ` +
      `the thread is busy ${(used / counted.length).toFixed(1)} ms in each; ${long.length} tasks above 50 ms`,
  );
}

/** Turns the wheel over a part of the page, once each frame. */
async function scroll(selector, times) {
  const box = await page.locator(selector).boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let n = 0; n < times; n++) {
    await page.mouse.wheel(0, n < times / 2 ? 120 : -120);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
}

await measure('scrolling the map', () => scroll('.cluster-scroll', 200));
await measure('pointing at the map', async () => {
  const box = await page.locator('.cluster-scroll').boundingBox();
  for (let n = 0; n < 200; n++) {
    await page.mouse.move(box.x + 20 + ((n * 37) % (box.width - 40)), box.y + 20 + ((n * 13) % (box.height - 40)));
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
});
await measure('scrolling the story', () => scroll('.side-scroll', 100));
await measure('pointing at the chart', async () => {
  const box = await page.locator('.chart-frame').boundingBox();
  for (let n = 0; n < 100; n++) {
    await page.mouse.move(box.x + (n / 100) * box.width, box.y + 20);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
});
await page.locator('.at-end .button').last().click();
await page.locator('.node-table').waitFor();
await measure('scrolling the table', () => scroll('.cluster-scroll', 200));
await close();
