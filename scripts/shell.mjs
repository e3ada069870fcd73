// Writes down what the program draws on a first visit (www/shell/LANGUAGE.html): scripts/finish-dist.mjs puts it into the
// page, which therefore shows its first view before the program arrives. `make first` renews it when the first view has
// changed; tests/e2e/start.spec.mjs tells when that is. Usage: node scripts/shell.mjs [directory]
import { writeFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { serve } from '../tests/e2e/server.mjs';

/** The first view as the program leaves it in the page: before it looks at the manifest, and before the editor comes. */
export async function firstView(page, address) {
  // Until then the program waits for its second part; what it asks for at once it gets (www/split.js).
  await page.route(/\/(work|rest|editor)-[0-9a-f]{16}\./, (route) => route.request().resourceType() === 'xhr' && route.continue());
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page.locator('body > .app').evaluate((app) => {
    const copy = app.cloneNode(true);
    // What is a property of the element has no place in its text.
    const fields = app.querySelectorAll('textarea');
    copy.querySelectorAll('textarea').forEach((field, place) => (field.textContent = fields[place].value));
    return copy.outerHTML;
  });
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const server = await serve({ directory: process.argv[2] ?? 'dist' });
  const browser = await chromium.launch({ executablePath: process.env.CHROME, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  for (const [language, locale] of [['en', 'en-GB'], ['fr', 'fr-FR']]) {
    const page = await browser.newPage({ locale, serviceWorkers: 'block' });
    const html = await firstView(page, server.url);
    writeFileSync(new URL(`../www/shell/${language}.html`, import.meta.url), `${html}\n`);
    console.log(`www/shell/${language}.html: ${html.length} characters`);
    await page.close();
  }
  await browser.close();
  await server.close();
}
