// The playground in other people's pages: each example of www/embed/ does under its constraints what docs/embedding.md says.
// The server's own policy (server.mjs) allows no inline script and no inline style, and a violation fails the test.
import { expect, test } from './support.mjs';

/** Opens an example page and waits for its playgrounds. */
async function example(page, site, name, ready = 1) {
  await page.goto(`${site}embed/${name}`);
  await standing(page, ready);
}

const standing = (page, count) =>
  expect.poll(() => page.evaluate(() => [...document.querySelectorAll('daemonset-playground')].filter((e) => e.shadowRoot?.querySelector('.app')).length)).toBeGreaterThanOrEqual(count);

test('a plain page: from a file and inline, with methods and events', async ({ page, site }) => {
  await example(page, site, 'plain.html');
  await expect(page.locator('#file .node', { hasText: 'worker3' }).first()).toBeVisible();
  const answer = await page.evaluate(() => document.getElementById('file').kubectl('kubectl get ds agent --no-headers'));
  expect(answer.stdout).toMatch(/^agent\s+3\s+3\s+3\s+3\s+3/);
  expect(answer.exitCode).toBe(0);

  await page.locator('#inline').scrollIntoViewIfNeeded();
  await standing(page, 2);
  const steps = await page.evaluate(async () => {
    const element = document.getElementById('inline');
    const heard = [];
    element.addEventListener('step', ({ detail }) => heard.push(detail.position));
    await element.sim('add-node late');
    const { progress } = await element.runToQuiet();
    return { heard, progress, position: await element.position };
  });
  expect(steps.progress).toBe('quiet');
  expect(steps.heard.at(-1)).toBe(steps.position);
  await expect(page.locator('#inline .node', { hasText: 'late' }).first()).toBeVisible();
  const refused = await page.evaluate(() => document.getElementById('inline').explain({ daemonset: 'ghost', node: 'late' }).catch((error) => error.message));
  expect(refused).toBe('there is no DaemonSet default/ghost');
});

test('an element is lazy, and shows a picture of its nodes until it is seen', async ({ page, site }) => {
  await page.setViewportSize({ width: 900, height: 400 });
  // The program comes when the picture has been looked at.
  let seen;
  const looked = new Promise((done) => (seen = done));
  await page.route('**/*.wasm', async (route) => {
    await looked;
    await route.continue();
  });
  await page.goto(`${site}embed/plain.html`);
  const poster = page.locator('#inline .poster');
  await expect(poster).toHaveAttribute('aria-label', 'Nodes: worker1, worker2');
  seen();
  await standing(page, 1);
});

test('an embedded playground touches nothing of the page', async ({ page, site }) => {
  await example(page, site, 'plain.html');
  await page.evaluate(async () => {
    const element = document.getElementById('file');
    element.setAttribute('theme', 'dark');
    element.setAttribute('lang', 'fr');
    await element.sim('add-node late');
  });
  await page.waitForTimeout(700);
  const state = await page.evaluate(() => ({
    title: document.title,
    hash: location.hash,
    lang: document.documentElement.lang,
    theme: document.documentElement.dataset.theme,
    stored: Object.keys(localStorage),
    inside: document.getElementById('file').shadowRoot.querySelector('.root').dataset.theme,
  }));
  expect(state).toEqual({ title: 'Plain HTML', hash: '', lang: 'en', theme: undefined, stored: [], inside: 'dark' });
});

test('a strict content security policy, with every part shown', async ({ page, site }) => {
  await page.addInitScript(() => {
    globalThis.violations = [];
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => globalThis.violations.push(`${violatedDirective} ${blockedURI}`));
  });
  await example(page, site, 'strict-csp.html');
  await expect(page.locator('.cm-editor')).toBeVisible();
  await page.locator('daemonset-playground').getByRole('button', { name: 'Back', exact: true }).click();
  expect(await page.evaluate(() => globalThis.violations)).toEqual([]);
});

test('five playgrounds load the engine once and have a life of their own', async ({ page, site }) => {
  const fetched = [];
  page.on('request', (request) => {
    if (request.url().endsWith('.wasm')) fetched.push(request.url());
  });
  await example(page, site, 'five.html', 5);
  // Each part of the program once.
  expect(fetched.length).toBeGreaterThan(0);
  expect(new Set(fetched).size).toBe(fetched.length);
  const positions = () => page.evaluate(() => Promise.all([...document.querySelectorAll('daemonset-playground')].map((e) => e.position)));
  const before = await positions();
  expect(before[0]).toBe(0);
  expect(before[2]).toBe(5);
  await page.evaluate(() => document.querySelector('daemonset-playground').step());
  expect(await positions()).toEqual([1, ...before.slice(1)]);
  await expect(page.locator('daemonset-playground').nth(3).locator('.root')).toHaveAttribute('lang', 'fr');
  const dark = await page.evaluate(() => [1, 2].map((n) => getComputedStyle(document.querySelectorAll('daemonset-playground')[n].shadowRoot.querySelector('.cluster')).backgroundColor));
  expect(dark[0]).not.toBe(dark[1]);
});

test('code blocks become playgrounds, others stay', async ({ page, site }) => {
  await example(page, site, 'fence.html');
  await expect(page.locator('daemonset-playground').getByText('worker2').first()).toBeVisible();
  await expect(page.locator('pre > code')).toHaveText('kind: DaemonSet\n');
  // What instant navigation puts into the page later.
  await page.evaluate(() => {
    const next = document.createElement('main');
    next.innerHTML = '<h1>Next</h1><div class="highlight"><pre><code># daemonset-playground step=end loading=eager\nlog:\n- run: sim add-node later\n</code></pre></div>';
    document.body.replaceChildren(next);
  });
  await expect(page.locator('daemonset-playground').getByText('later').first()).toBeVisible();
});

test('the output of the Hugo shortcode', async ({ page, site }) => {
  await page.setViewportSize({ width: 900, height: 1200 });
  await example(page, site, 'hugo/', 2);
});

test('the Docusaurus component can be mounted again, and tells goals', async ({ page, site }) => {
  await example(page, site, 'docusaurus/');
  for (let round = 0; round < 2; round++) {
    await page.evaluate(() => document.querySelector('daemonset-playground').runToQuiet());
    await expect(page.locator('#goals')).toHaveText('1');
    await page.locator('#remount').click();
    await page.locator('#goals').evaluate((goals) => (goals.textContent = '0'));
    await standing(page, 1);
  }
});

test('a lesson in an element: its tasks are goals, and its end is told', async ({ page, site }) => {
  await page.goto(`${site}embed/plain.html`);
  await page.evaluate(() => {
    globalThis.heard = [];
    for (const name of ['goal', 'lesson:progress', 'lesson:complete']) addEventListener(name, ({ detail }) => globalThis.heard.push({ name, ...detail }));
    const element = Object.assign(document.createElement('daemonset-playground'), { id: 'lesson' });
    for (const [name, value] of Object.entries({ lesson: 'one-pod-per-node', loading: 'eager', lang: 'fr', height: '600' })) element.setAttribute(name, value);
    document.querySelector('h1').after(element);
  });
  const lesson = page.locator('#lesson');
  await expect(lesson.locator('#lesson-title')).toHaveText('Un pod sur chaque nœud');
  await expect(lesson.locator('[data-node="worker1"]')).toBeVisible();
  // As a learner goes: answer, do it, look.
  const solve = async (number, line) => {
    await lesson.locator('.rail-step').nth(number).click();
    if (number < 4) await lesson.locator('.quiz-choice input').nth(1).check();
    if (line) await page.evaluate((typed) => document.getElementById('lesson').with((playground) => (playground.kubectl(typed), playground.runToQuiet())), line);
    await expect(lesson.locator('.rail-step').nth(number)).toHaveClass(/done/);
  };
  await solve(1, 'kubectl apply -f node-exporter.yaml');
  const heard = (name) => page.evaluate((wanted) => globalThis.heard.filter(({ name, lesson }) => name === wanted && lesson), name);
  const [goal] = await heard('goal');
  expect(goal).toMatchObject({ index: 0, reached: 1, of: 4, lesson: 'one-pod-per-node', text: 'Appliquer le manifeste' });
  const [told] = await heard('lesson:progress');
  expect(told).toMatchObject({ lesson: 'one-pod-per-node', done: 1, tasks: 4 });
  expect(told.statement.verb.id).toBe('http://adlnet.gov/expapi/verbs/progressed');
  expect(await heard('lesson:complete')).toEqual([]);
  await solve(2);
  await solve(3, 'kubectl delete pod -l app=node-exporter --field-selector spec.nodeName=worker2');
  await solve(4, 'kubectl delete daemonset node-exporter');
  expect((await heard('goal')).map(({ index, reached }) => [index, reached])).toEqual([[0, 1], [1, 2], [2, 3], [3, 4]]);
  const [done] = await heard('lesson:complete');
  expect(done.score).toBe(done.max);
});

test('a lesson of the page itself stands in an element, and a broken one names its fault', async ({ page, site, complaints }) => {
  await page.goto(`${site}embed/plain.html`);
  const of = (text) =>
    page.evaluate(async (lesson) => {
      const element = document.createElement('daemonset-playground');
      element.setAttribute('loading', 'eager');
      element.append(Object.assign(document.createElement('script'), { type: 'text/yaml', textContent: lesson }));
      document.body.prepend(element);
      return element.ready.then(() => element.shadowRoot.querySelector('.lesson-name').innerText, (error) => error.message);
    }, text);
  const template = await (await page.request.get(`${site}lessons/template/lesson.txt`)).text();
  expect(await of(template)).toContain('0');
  expect(await of('---\nid: x\nmood: good\n---\n')).toMatch(/^line 3: mood is not known/im);
  complaints.length = 0;
});

test('a slide: hidden until its turn, scaled, keys of its own', async ({ page, site }) => {
  await page.goto(`${site}embed/slide.html`);
  await page.waitForTimeout(300);
  expect(await page.evaluate(() => Boolean(document.querySelector('daemonset-playground').shadowRoot.querySelector('.app')))).toBe(false);
  await page.keyboard.press('ArrowRight');
  await standing(page, 1);
  await page.locator('daemonset-playground').getByRole('button', { name: 'Step', exact: true }).click();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('section.present > h2')).toHaveText('Watch');
});

test('instant navigation twenty times leaves nothing behind', async ({ page, site }) => {
  await example(page, site, 'mkdocs.html');
  const session = await page.context().newCDPSession(page);
  const turn = async (name) => {
    await page.getByRole('link', { name }).click();
    await standing(page, 1);
  };
  const measure = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    const { JSHeapUsedSize: heap, JSEventListeners: listeners, Nodes: nodes } = Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
    const wasm = await page.evaluate(() => document.querySelector('daemonset-playground').constructor.memory());
    return { heap, listeners, nodes, wasm };
  };
  const navigate = async (times) => {
    for (let n = 0; n < times; n++) await turn(n % 2 ? 'Page A' : 'Page B');
    return measure();
  };
  await session.send('Performance.enable');
  // Until every part of the program has been used once, and the allocator has found its size.
  await navigate(20);
  const before = await navigate(10);
  const after = await navigate(20);
  console.log(`before and after twenty navigations: ${JSON.stringify({ before, after })}`);
  // A single one left behind by each navigation would be twenty; a page of memory is 64 KiB, and less is not to be seen.
  expect(after.wasm, 'the memory of the engine').toBeLessThanOrEqual(before.wasm + 65_536);
  expect(after.listeners, 'listeners').toBeLessThan(before.listeners + 20);
  expect(after.nodes, 'nodes of documents').toBeLessThan(before.nodes + 20);
  // Some hundred bytes for each navigation are the browser's own, such as the entries of the history.
  expect(after.heap, 'the heap of the page').toBeLessThan(before.heap + 20 * 4096);
});

test('an iframe tells its height and answers its own origin only', async ({ page, site, complaints }) => {
  await page.goto(`${site}embed/iframe.html`);
  await expect(page.locator('#heard')).toHaveText(/height.*ready/);
  await page.locator('#run').click();
  await expect(page.locator('#answer')).toHaveText(/daemonset\.apps\/agent/);
  await expect(page.locator('#heard')).toHaveText(/goal.*height.*ready.*result.*step/);
  // Another origin in the address: the frame does not talk to this one.
  await page.evaluate(async () => {
    const frame = document.querySelector('iframe');
    const address = frame.src.replace('step=0', 'step=1&origin=https://docs.example.org');
    // What the old one still says is none of the new one's.
    await new Promise((gone) => {
      frame.addEventListener('load', () => setTimeout(gone), { once: true });
      frame.src = 'about:blank';
    });
    globalThis.got = 0;
    addEventListener('message', () => globalThis.got++);
    frame.src = address;
  });
  await expect(page.frameLocator('iframe').locator('.app')).toBeVisible();
  await page.waitForTimeout(300);
  expect(await page.evaluate(() => globalThis.got)).toBe(0);
  // The browser says that it delivered nothing.
  complaints.length = 0;
});

test('a scenario that cannot be read says so, and its text stays', async ({ page, site, complaints }) => {
  await page.goto(`${site}embed/plain.html`);
  const message = await page.evaluate(async () => {
    const element = document.createElement('daemonset-playground');
    element.setAttribute('loading', 'eager');
    element.textContent = 'logs: []';
    document.body.prepend(element);
    return element.ready.catch((error) => error.message);
  });
  expect(message).toContain('unknown field `logs`');
  await expect(page.locator('daemonset-playground .fallback').first()).toContainText('logs: []');
  complaints.length = 0;
});
