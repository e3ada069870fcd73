import { defineConfig } from '@playwright/test';

// Chromium calls home unless it is told not to; as root it has no sandbox.
const args = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.mjs',
  outputDir: '../../test-results',
  // Two workers keep two cores busy; each has its own server and browser.
  workers: 2,
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // A test that fails now and then is a defect, of the page more often than of the test: the list at the end names it as
  // flaky, and it is to be looked into. It does not hide what else was tested on a busy machine, though.
  retries: 2,
  // Generous: they bound what hangs, and a loaded machine is slow without anything being wrong.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    headless: true,
    actionTimeout: 30_000,
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    colorScheme: 'light',
    launchOptions: { executablePath: process.env.CHROME || '/usr/bin/chromium', args },
    screenshot: 'only-on-failure',
    trace: 'off',
    // Only offline.spec.mjs wants one: filling its cache anew for each test takes time.
    serviceWorkers: 'block',
  },
});
