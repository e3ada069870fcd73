// Every view at three widths, in light and dark, in both languages: a screenshot of each in test-results/views/, to be
// looked at, no violation that axe finds in any of them, and nothing that is cut off or lies on something else, at 320 pixels
// neither. One page goes through all of them.
import { readFileSync } from 'node:fs';
import { faults } from './cut.mjs';
import { card, command, paste } from './hands.mjs';
import { expect, test } from './support.mjs';

const EXAMPLE = readFileSync(new URL('../../www/examples/node-exporter.yaml', import.meta.url), 'utf8');
const WIDTHS = [1440, 1024, 390];
/** Here it is only measured that nothing is cut off. */
const NARROWEST = 320;

/** What a person does, whatever the language. */
const hand = (page) => {
  const step = page.locator('#step');
  const me = {
    page,
    card: (node) => card(page, node),
    async settle() {
      if ((await step.getAttribute('aria-disabled')) !== 'true') await page.locator('.buttons > .labelled').nth(1).click();
      await expect(step).toHaveAttribute('aria-disabled', 'true');
    },
    async steps(count) {
      for (let i = 0; i < count; i++) await step.click();
    },
    command: (line) => command(page, line),
    async closeTerminal() {
      await page.locator('.terminal.open .toggle').click();
    },
    paste: (text) => paste(page, text),
  };
  return me;
};

/**
 * The views, each reached from the one before at 1440 px. `pane`: the part of the page that a narrow screen shows;
 * without one, what the view itself has brought up.
 */
const VIEWS = [
  ['first', 'cluster', async () => {}],
  ['stepping', 'cluster', ({ steps }) => steps(12)],
  ['why', undefined, ({ page }) => page.locator('.place.absent .link').first().click()],
  ['node', undefined, ({ page }) => page.locator('#node-worker1').click()],
  ['pod', undefined, ({ card }) => card('worker1').locator('.pod-button').click()],
  ['image', 'cluster', async ({ page, settle }) => {
    await page.locator('.inspector-head .button').click();
    await settle();
    await page.locator('.set-title > .button:not(.set-undo)').first().click();
    await page.locator('.set-form input').fill('prom/node-exporter:v1.9.1');
  }],
  ['rollout', 'cluster', async ({ page, steps }) => {
    await page.locator('.set-form .primary').click();
    await steps(9);
  }],
  ['strategy', 'cluster', ({ page }) => page.locator('.set-title > .button:not(.set-undo)').nth(1).click()],
  ['story', 'story', async ({ page, settle }) => {
    await page.locator('.set-form .icon').click();
    await settle();
    await page.locator('#tab-story').click();
    await page.locator('.entry [aria-expanded=false]').last().click();
  }],
  ['events', 'story', ({ page }) => page.locator('#tab-events').click()],
  ['lines', 'cluster', async ({ page, command, closeTerminal, settle }) => {
    await page.locator('.chart-slider').press('Home');
    await command('sim add-node worker4');
    await command('kubectl apply -f node-exporter.yaml');
    await closeTerminal();
    await settle();
    await page.locator('.clock .button').click();
    await page.locator('.clock [role=menuitem]').first().click();
  }],
  ['table', 'cluster', async ({ page }) => {
    await page.locator('.compare-head .button').click();
    await page.locator('.at-end .button').last().click();
  }],
  ['terminal', 'terminal', async ({ page, command }) => {
    await page.locator('.at-end .button').first().click();
    await command('kubectl get pods -o wide');
  }],
  ['session', 'cluster', async ({ page, closeTerminal }) => {
    if (await page.locator('.terminal.open .toggle').isVisible()) await closeTerminal();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Session', exact: true }).click();
  }],
  ['menu', 'cluster', async ({ page, card }) => {
    await page.keyboard.press('Escape');
    await card('worker1').locator('.node-head .button').click();
  }],
  ['add-nodes', 'cluster', async ({ page }) => {
    await page.keyboard.press('Escape');
    await page.locator('.cluster-bar .joined > .button').nth(1).click();
  }],
  ['chip', 'cluster', async ({ page, card }) => {
    await page.keyboard.press('Escape');
    await card('worker1').locator('.chip.add').click();
    await page.keyboard.type('not a label');
  }],
  ['review', 'manifest', async ({ page, paste }) => {
    await page.keyboard.press('Escape');
    await paste(EXAMPLE.replace('v1.8.2', 'v1.9.2'));
    await page.locator('.apply-row [aria-expanded]').click();
  }],
  ['problems', 'manifest', async ({ page, paste }) => {
    await paste('kind: DaemonSet\nmetadata:\n\tname: x\n');
    await expect(page.locator('.problems')).toBeVisible();
  }],
  ['dense', 'cluster', async ({ page, command, closeTerminal, settle }) => {
    await command('sim add-node gpu --template gpu --count 120');
    await closeTerminal();
    await settle();
    await expect(page.locator('.dense')).toBeVisible();
    await page.locator('.group-by').selectOption({ index: 1 });
  }],
];

/** What another part of the page or a click beside it closes: opened anew at each width. */
const ANEW = new Set(['session', 'menu', 'add-nodes']);

for (const locale of ['en-GB', 'fr-FR']) {
  test.describe(locale, () => {
    test.use({ locale });

    test('every view at every width in both themes, with nothing that axe finds', async ({ open, page, accessible, snap }) => {
      test.setTimeout(900_000);
      await open();
      await expect(page.locator('.cm-content')).toBeVisible();
      const me = hand(page);
      const tabs = await page.locator('.side [role=tab]').evaluateAll((all) => all.map(({ id }) => id));
      const extra = tabs.filter((id) => !/story|events|why/.test(id)).map((id) => [id.slice(4), 'story', () => page.locator(`#${id}`).click()]);
      for (const [name, pane, reach] of [...VIEWS, ...extra]) {
        await page.setViewportSize({ width: 1440, height: 900 });
        await test.step(name, async () => {
          if (!ANEW.has(name)) await reach(me);
          for (const width of [...WIDTHS, NARROWEST]) {
            await page.setViewportSize({ width, height: width < 400 ? 844 : 900 });
            const bar = page.locator(`.pane-${pane}`);
            if (pane && (await bar.isVisible()) && (await bar.getAttribute('aria-current')) !== 'true') await bar.click();
            if (ANEW.has(name)) await reach(me);
            for (const colorScheme of width === NARROWEST ? [] : ['light', 'dark']) {
              await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
              await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
              await snap(`${name}-${width}-${colorScheme}-${locale.slice(0, 2)}`, { in: 'views', animations: 'allow' });
              await accessible();
            }
            expect(await page.evaluate(() => document.documentElement.scrollWidth), `${name} at ${width}`).toBeLessThanOrEqual(width);
            expect.soft(await page.evaluate(faults), `${name} at ${width}`).toEqual([]);
          }
          expect(await page.evaluate(() => document.body.innerText.match(/\{[a-z_]+\}/g)), `${name}: words without their facts`).toBe(null);
        });
      }
    });
  });
}
