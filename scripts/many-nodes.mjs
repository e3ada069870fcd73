// The built page with many nodes in Chromium, and the CPU time of its thread: what the measuring scripts begin with.
import { chromium } from '@playwright/test';
import { serve } from '../tests/e2e/server.mjs';

/** Opens the page of `directory` with so many nodes, of which four are there from the start. */
export async function openWithNodes(nodes, directory) {
  const server = await serve({ directory });
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
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  return {
    page,
    command,
    /** Milliseconds that the page's thread has worked so far: the time on the clock also counts what else the machine does. */
    busy: async () => (await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value * 1000,
    /** Closes the terminal and lets everything happen that is due. */
    async settle() {
      await page.locator('.terminal.open .toggle').click();
      await page.locator('.buttons > .labelled').nth(1).click();
      await page.waitForFunction(() => document.querySelector('#step').getAttribute('aria-disabled') === 'true', null, { timeout: 0 });
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** The value below which so large a share of the values lies, in whole milliseconds. */
export const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]?.toFixed(0);
