// What a person does with the page, and where: the gestures that several test files share.
import { expect } from './support.mjs';

export const card = (page, node) => page.locator(`[data-node="${node}"]`);
export const step = (page) => page.locator('#step');
export const button = (page, name) => page.getByRole('button', { name, exact: true });

/** Lets everything happen that is due. The page is in English. */
export async function settle(page) {
  // What was done before may not have been drawn yet.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  if ((await step(page).getAttribute('aria-disabled')) === 'true') return;
  await button(page, 'Run to quiet').click();
  await expect(step(page)).toHaveAttribute('aria-disabled', 'true');
}

/** Types a line into the terminal. */
export async function command(page, line) {
  await page.locator('#command').fill(line);
  await page.locator('#command').press('Enter');
}

/** Replaces the editor's text, as pasting over everything does. */
export async function paste(page, text) {
  const editor = page.locator('.editor-slot:not([hidden]) .cm-content');
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await editor.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}
