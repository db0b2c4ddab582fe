import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { preview } from 'vite';

const expected = 'Sold. 6 pears are left.';
const executablePath = process.env.WINK_CHROMIUM ?? '/usr/bin/chromium';
if (existsSync(executablePath)) {
  const server = await preview({ preview: { host: '127.0.0.1', port: 0 }, logLevel: 'warn' });
  const browser = await chromium.launch({
    executablePath,
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
    timeout: 120_000,
  });
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(server.resolvedUrls.local[0]);
  await page.waitForSelector('#answer:not(:empty)');
  assert.equal(await page.textContent('#answer'), expected);
  assert.deepEqual(errors, []);
  await browser.close();
  await server.close();
} else {
  console.log(`skip the page in a browser: there is no ${executablePath}`);
  const answer = {};
  const link = { relList: { supports: () => true } };
  globalThis.document = { querySelector: () => answer, createElement: () => link };
  for (const file of readdirSync('dist/assets')) await import(`./dist/assets/${file}`);
  assert.equal(answer.textContent, expected);
}
