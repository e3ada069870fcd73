// Lessons and gallery in the page: the lists, a lesson from its first page to its last, the presenter, a teacher, and a
// handful of scenarios that open, step and run.
import { readFileSync } from 'node:fs';
import { command, paste } from './hands.mjs';
import { expect, test } from './support.mjs';

const read = (path) => readFileSync(new URL(`../../www/${path}`, import.meta.url), 'utf8');
const LESSONS = JSON.parse(read('lessons/index.json')).lessons;

/** What a learner does. */
function learner(page) {
  const panel = page.locator('#side-panel .lesson');
  const me = {
    panel,
    async list() {
      await page.locator('#lessons').click();
      await expect(page.getByRole('dialog')).toBeVisible();
    },
    async begin(id) {
      await me.list();
      await page.locator(`[data-entry="${id}"]`).click();
      await expect(page.getByRole('dialog')).toHaveCount(0);
    },
    async next() {
      await panel.getByRole('button', { name: /^(Start|Next)$/ }).click();
    },
    command: (line) => command(page, line),
    async settle() {
      const run = page.getByRole('button', { name: 'Run to quiet' });
      if ((await run.getAttribute('aria-disabled')) !== 'true') await run.click();
      await expect(page.locator('#step')).toHaveAttribute('aria-disabled', 'true', { timeout: 20_000 });
    },
    goals: (done) => panel.locator(done ? '.goals li.done' : '.goals li:not(.done)'),
  };
  return me;
}

test('the list shows every lesson and every scenario, and is accessible', async ({ open, page, accessible }) => {
  await open();
  const me = learner(page);
  await me.list();
  await expect(page.locator('.catalogue ol .catalogue-item')).toHaveCount(LESSONS.length);
  expect(await page.locator('.catalogue ul .catalogue-item').count()).toBeGreaterThan(40);
  await accessible({ include: '.catalogue' });
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  // And again: Escape has told the application, too.
  await me.list();
});

test('a lesson from its first page to its last', async ({ open, page, accessible }) => {
  await open();
  await page.evaluate(() => {
    window.heard = [];
    for (const name of ['lesson:progress', 'lesson:complete']) window.addEventListener(name, (event) => window.heard.push([name, event.detail]));
  });
  const me = learner(page);
  await me.begin('one-pod-per-node');
  await expect(me.panel.getByRole('heading', { name: 'One pod on every node' })).toBeVisible();
  await accessible();
  await me.next();
  await expect(me.goals(false)).toHaveCount(2);
  await me.panel.getByText('Three: one on each worker').click();
  await me.panel.getByRole('button', { name: /Run kubectl apply/ }).click();
  await me.settle();
  await expect(me.goals(true)).toHaveCount(2);
  await expect(me.panel.getByText('You were right.')).toBeVisible();
  await accessible();

  await me.next();
  await me.panel.getByText('worker1', { exact: true }).click();
  await expect(me.panel.getByText('Not quite. Look again.')).toBeVisible();
  await me.panel.getByText('control-plane', { exact: true }).click();
  await expect(me.panel.locator('h2 .badge')).toBeVisible();

  await me.next();
  await me.panel.getByText('On worker2 again').click();
  await me.command('kubectl delete pod -l app=node-exporter --field-selector spec.nodeName=worker2');
  await me.settle();
  await expect(me.panel.locator('h2 .badge')).toBeVisible();
  await me.next();
  await me.command('kubectl delete daemonset node-exporter');
  await me.settle();
  await me.next();
  // The second question took two tries.
  await expect(me.panel.getByText('Completed: 50 of 55 points')).toBeVisible();
  const heard = await page.evaluate(() => window.heard);
  expect(heard.map(([name]) => name)).toEqual([...Array(4).fill('lesson:progress'), 'lesson:complete']);
  expect(heard.at(-1)[1]).toMatchObject({ lesson: 'one-pod-per-node', score: 50, max: 55, done: 4, tasks: 4 });
  expect(heard.at(-1)[1].statement.result).toMatchObject({ completion: true, score: { raw: 50, max: 55 } });

  await me.panel.getByRole('button', { name: 'Next lesson' }).click();
  await expect(me.panel.getByRole('heading', { name: 'Anatomy of a manifest' })).toBeVisible();
  await me.list();
  await expect(page.locator('[data-entry="one-pod-per-node"]')).toContainText('50 of 55 points');
});

test('hints, going back to the start of a task, another language, a reload', async ({ open, page }) => {
  await open();
  const me = learner(page);
  await me.begin('label-and-node-selector');
  await me.next();
  await me.panel.getByText('A DaemonSet with DESIRED 0').click();
  await me.command('kubectl apply -f node-exporter.yaml');
  await me.settle();
  await me.next();
  await me.command('kubectl label node worker1 monitoring=enabled');
  await me.settle();
  await me.next();
  await me.panel.getByRole('button', { name: /Show a hint/ }).click();
  await expect(me.panel.locator('.hints li')).toHaveCount(1);
  await me.command('kubectl label nodes worker2 worker3 monitoring=enabled');
  await me.settle();
  await expect(me.panel.locator('h2 .badge')).toBeVisible();

  await page.waitForTimeout(1000);
  await page.reload();
  await expect(me.panel.getByRole('heading', { name: 'Label the two others with one command' })).toBeVisible();
  await expect(me.panel.locator('h2 .badge')).toBeVisible();
  await expect(page.locator('[data-node="worker3"]').getByText(/\bavailable\b/)).toBeVisible();

  await me.panel.getByRole('button', { name: 'Back to the start of this task' }).click();
  await expect(me.goals(false)).toHaveCount(2);
  await expect(page.locator('[data-node="worker3"]').getByText(/\bavailable\b/)).toHaveCount(0);
  await expect(page.locator('[data-node="worker1"]').getByText(/\bavailable\b/)).toBeVisible();

  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('menuitemradio', { name: 'Français' }).click();
  await expect(me.panel.getByRole('heading', { name: 'Étiqueter les deux autres en une commande' })).toBeVisible();
  await expect(me.goals(false)).toHaveCount(2);
});

test('the presenter turns pages with the keys of a clicker', async ({ open, page, accessible }) => {
  await open();
  const me = learner(page);
  await me.begin('one-pod-per-node');
  await me.panel.getByRole('button', { name: 'Presenter mode' }).click();
  await expect(page.locator('.presenting')).toBeVisible();
  await page.keyboard.press('n');
  await expect(me.panel.getByText('Ask the room before the first step')).toBeVisible();
  await page.keyboard.press('PageDown');
  await expect(me.panel.getByRole('heading', { name: 'Apply the manifest' })).toBeVisible();
  await page.keyboard.press('PageDown');
  await expect(me.panel.getByRole('heading', { name: 'See where they are' })).toBeVisible();
  await page.keyboard.press('PageUp');
  await expect(me.panel.getByRole('heading', { name: 'Apply the manifest' })).toBeVisible();
  await accessible();
  await page.keyboard.press('Escape');
  await expect(page.locator('.presenting')).toHaveCount(0);
});

test('a teacher opens the template, makes a mistake, corrects it, tries it and shares it', async ({ open, page, context, snap }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open();
  const me = learner(page);
  await me.list();
  await page.getByRole('button', { name: 'Open the template' }).click();
  const editor = page.locator('.editor-slot:not([hidden]) .cm-content');
  await expect(editor).toContainText('id: my-lesson');
  const write = (text) => paste(page, text);
  const template = read('lessons/template/lesson.md');
  await write(template.replace('desired: 3\n  available', 'desird: 3\n  available'));
  await me.panel.getByRole('button', { name: 'Try it' }).click();
  await expect(me.panel.locator('.faults')).toContainText('desird is not known here; desired is');
  await expect(me.panel.locator('.faults')).toContainText(/line 9\d/i);
  await snap('lesson-draft');
  // A lesson is no manifest: nothing is found wrong with it as one.
  await expect(page.locator('.problems')).toHaveCount(0);
  await write(template.replace('en: My lesson', 'en: A lesson of mine'));
  await me.panel.getByRole('button', { name: 'Play its solutions' }).click();
  await expect(me.panel.getByText('Each task is solved by its solution and by nothing less.')).toBeVisible();
  await me.panel.getByRole('button', { name: 'Copy a link' }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/#lesson=/);
  await me.panel.getByRole('button', { name: 'Try it' }).click();
  await expect(me.panel.getByRole('heading', { name: 'A lesson of mine' })).toBeVisible();

  // Somebody else opens the link.
  await page.evaluate(() => localStorage.clear());
  await page.goto('about:blank');
  await page.goto(link);
  await expect(me.panel.getByRole('heading', { name: 'A lesson of mine' })).toBeVisible();
});

for (const [id, seen] of [
  ['mixed-cluster', /available/],
  ['same-host-port', /pending/i],
  ['linux-image-on-windows', /revision 2/],
  ['noexecute-loop', /agent/],
  ['dead-nodes-block-the-update', /agent/],
]) {
  test(`a scenario of the gallery opens, steps and runs: ${id}`, async ({ open, page }) => {
    await open();
    const me = learner(page);
    await me.begin(id);
    await expect(page.getByRole('region', { name: 'Notice' }).or(page.locator('.notice'))).toContainText(/\w+: .+\./);
    await page.locator('#step').click();
    const run = page.getByRole('button', { name: 'Run to quiet' });
    if ((await run.getAttribute('aria-disabled')) !== 'true') await run.click();
    await expect(page.getByRole('button', { name: 'Run to quiet' })).toBeVisible({ timeout: 20_000 });
    await expect(page.locator('#cluster')).toContainText(seen);
  });
}

for (const [name, theme, width, height] of [
  ['light-1440', 'light', 1440, 900],
  ['dark-1440', 'dark', 1440, 900],
  ['light-390', 'light', 390, 844],
]) {
  test(`screenshots: ${name}`, async ({ open, page, snap }) => {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: theme });
    await open();
    const me = learner(page);
    await me.list();
    await snap(`lessons-list-${name}`);
    await page.locator('[data-entry="rolling-update"]').click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await snap(`lesson-first-${name}`);
    await me.next();
    await me.panel.getByText('One', { exact: true }).click();
    await snap(`lesson-task-${name}`);
    await page.locator('#side-panel').evaluate((element) => element.scrollTo(0, 10_000));
    await snap(`lesson-task-end-${name}`);
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitemradio', { name: 'Français' }).click();
    await page.locator('#side-panel').evaluate((element) => element.scrollTo(0, 0));
    await snap(`lesson-french-${name}`);
    await page.getByRole('button', { name: 'Langue' }).click();
    await page.getByRole('menuitemradio', { name: 'English' }).click();
    if (width > 1000) {
      await me.panel.getByRole('button', { name: 'Presenter mode' }).click();
      await page.locator('#side-panel').evaluate((element) => element.scrollTo(0, 0));
      await snap(`lesson-presenting-${name}`);
    }
  });
}
