// What a person does with the page, and where: the gestures that several test files share.
import { expect } from './support.mjs';

export const card = (page, node) => page.locator(`[data-node="${node}"]`);
export const step = (page) => page.locator('#step');
/** Where people look at the page: a name, and the size of what is in sight. */
export const DEVICES = [
  ['a desk', { width: 1440, height: 900 }],
  ['a phone', { width: 390, height: 844 }],
];
export const button = (page, name) => page.getByRole('button', { name, exact: true });

/** Lets everything happen that is due. The page is in English. */
export async function settle(page) {
  // What was done before may not have been drawn yet.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  if (await isQuiet(page)) return;
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

export const isQuiet = async (page) => (await step(page).getAttribute('aria-disabled')) === 'true';

/** Gives node-exporter another image, and says what becomes of it if the person chooses. */
export async function setImage(page, image, fate) {
  await button(page, 'Set image').click();
  await page.getByLabel('Image of container node-exporter').fill(image);
  if (fate) await page.getByLabel('When it starts:').selectOption(fate);
  await button(page, 'Set').click();
}

/** Steps until an image cannot be pulled; the other two of three nodes still run. */
export async function stepUntilImageFails(page) {
  for (let i = 0; i < 60 && (await page.getByText(/ErrImagePull|ImagePullBackOff/).count()) === 0; i++) await step(page).click();
  await expect(page.getByText(/ErrImagePull|ImagePullBackOff/).first()).toBeVisible();
  await expect(page.locator('[data-node] .place-text').filter({ hasText: 'available' })).toHaveCount(2);
}

/** Takes the rollout of node-exporter back. */
export async function undo(page) {
  await button(page, 'Actions for node-exporter').click();
  await page.getByRole('menuitem', { name: /Undo/ }).click();
  await settle(page);
}
