import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { skipReason, TestBrowser } from '../browser/support/chromium.ts';

const home = new URL('../../site/index.html', import.meta.url).href;
const folder = fileURLToPath(new URL('.', home));
const widthOf = () => document.documentElement.scrollWidth;

describe.skipIf(skipReason !== '')(`the site, opened from a file${skipReason}`, () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    expect(inject('siteProblem')).toBe('');
    browser = await TestBrowser.open();
  });
  afterAll(async () => browser?.[Symbol.asyncDispose]());

  const visit = (width: number, theme: 'light' | 'dark' = 'light') =>
    browser.visit(home, { width, theme, shows: 'h1, #tsd-search-trigger' });

  it.each([
    ['zod', /\/documents\//],
    ['SIGKILL', /\/documents\//],
    ['runAgent', /\/functions\/weakincentives\.runAgent\.html/],
    ['runAgent', /\/documents\/Run_it\.html/],
  ])('finds %s: %s', async (words, expected) => {
    const page = await visit(1440);
    await page.locator('#tsd-search-trigger').click();
    await page.locator('#tsd-search-input').fill(words);
    await page.waitForSelector('#tsd-search-results a');
    const found = await page
      .locator('#tsd-search-results a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(found.filter((address) => expected.test(address))).not.toEqual([]);
    await page.close();
  });

  it.each([1440, 400])('is no wider than a screen of %d pixels', async (width) => {
    for (const theme of ['light', 'dark'] as const) {
      const page = await visit(width, theme);
      expect(await page.evaluate(widthOf)).toBeLessThanOrEqual(width);
      await page.close();
    }
  });

  it('fits a phone on every page, however long a name is', async () => {
    const page = await visit(400);
    const tooWide: string[] = [];
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!/^(?:documents|functions|modules)\/.*\.html$/.test(path)) continue;
      await page.goto(new URL(path, home).href, { waitUntil: 'domcontentloaded' });
      if ((await page.evaluate(widthOf)) > 400) tooWide.push(path);
    }
    expect(tooWide).toEqual([]);
    await page.close();
  });

  it('keeps the lines of programs whole', async () => {
    const page = await visit(400);
    const wrapped = await page
      .locator('pre')
      .evaluateAll((blocks) => blocks.filter((block) => getComputedStyle(block).whiteSpace !== 'pre').length);
    expect(wrapped).toBe(0);
    await page.close();
  });

  it('lists guides in the order of their index', async () => {
    const page = await visit(1440);
    await page.waitForSelector('#tsd-nav-container a[href*="Run_it"]', { state: 'attached' });
    const names = await page.locator('#tsd-nav-container li li > a').allTextContents();
    expect(names.slice(0, 5)).toEqual(['Your first agent', 'Which one', 'Prompts', 'Tools', 'Run it']);
    await page.close();
  });

  it('shows the tiles of the home page as links that lead to guides', async () => {
    const page = await visit(1440);
    const tiles = page.locator('.tiles a');
    expect(await tiles.count()).toBe(6);
    await tiles.first().click();
    await page.waitForSelector('h1');
    expect(await page.locator('h1').first().textContent()).toBe('Your first agent');
    await page.close();
  });

  it('reports no error and asks for nothing outside', () => {
    // Chromium takes no icon from another file; the pages have them inside as well.
    expect(browser.messages.filter((message) => !message.includes('assets/icons.svg'))).toEqual([]);
    expect(
      browser.requests.filter((address) => !address.startsWith('file:') && !address.startsWith('data:')),
    ).toEqual([]);
  });
});
