import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowCount, selectedId, skipReason, TestBrowser, waitForSelected } from './support/chromium.ts';
import { fixtureLines, PageFolder } from './support/pages.ts';
import { manyCalls } from './support/rows.ts';

describe.skipIf(skipReason !== '')(`keyboard${skipReason}`, () => {
  const pages = new PageFolder();
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await TestBrowser.open();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    pages[Symbol.dispose]();
  });

  it('moves through rows, problems, states and views', async () => {
    const page = await browser.visit(`${pages.write(fixtureLines().join('\n'))}#turn-6`);
    const { keyboard } = page;
    await keyboard.press('j');
    await waitForSelected(page, 'call-6-1');
    await keyboard.press('j');
    await keyboard.press('j');
    await waitForSelected(page, 'call-7-1');
    await keyboard.press('k');
    await waitForSelected(page, 'turn-7');
    await keyboard.press('n');
    await waitForSelected(page, 'call-6-1');
    await keyboard.press('n');
    await waitForSelected(page, 'call-7-1');
    await keyboard.press('p');
    await waitForSelected(page, 'call-6-1');
    for (const [key, name] of [
      ['3', 'State'],
      ['4', 'Policies'],
      ['5', 'Problems'],
      ['1', 'Overview'],
      ['2', 'Call'],
    ] as const) {
      await keyboard.press(key);
      await page.getByRole('tab', { name, selected: true }).waitFor();
    }
    await keyboard.press('[');
    await page.waitForFunction(() => location.hash.startsWith('#state@'));
    await keyboard.press('t');
    await page.waitForFunction(() => document.documentElement.dataset['theme'] === 'dark');
    await keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(new URL(page.url()).hash).toMatch(/^#state@/);
    await page.close();
  });

  it('folds and unfolds in the tree, where one row is in the tab order', async () => {
    const page = await browser.visit(`${pages.write(fixtureLines().join('\n'))}#call-7-2`);
    await page.locator('[role=treeitem][aria-selected=true]').focus();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-id'));
    await page.keyboard.press('ArrowLeft');
    await waitForSelected(page, 'turn-7');
    expect(await focused()).toBe('turn-7');
    await page.keyboard.press('ArrowLeft');
    await page.waitForSelector('[data-id="turn-7"][aria-expanded=false]');
    await page.keyboard.press('ArrowDown');
    await waitForSelected(page, 'turn-8');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('[data-id="turn-7"][aria-expanded=true]');
    await page.keyboard.press('ArrowRight');
    await waitForSelected(page, 'call-7-1');
    expect(await focused()).toBe('call-7-1');
    expect(await page.locator('[role=treeitem][tabindex="0"]').count()).toBe(1);
    await page.keyboard.press('End');
    await waitForSelected(page, 'turn-16');
    await page.keyboard.press('Home');
    await waitForSelected(page, 'turn-1');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('pane');
    await page.close();
  });

  it('searches everything, shows where it was found, and clears', async () => {
    const page = await browser.visit(pages.write(fixtureLines().join('\n')));
    await page.keyboard.press('/');
    await page.keyboard.type('belongs to operations');
    await page.waitForFunction(() => document.querySelector('.search')?.textContent?.includes('1 of 42'));
    expect(await page.locator('.snippet mark').textContent()).toBe('belongs to operations');
    await page.keyboard.press('Enter');
    await waitForSelected(page, 'call-11-1');
    await page.keyboard.press('/');
    await page.keyboard.type(' nowhere');
    await page.getByText('No call matches').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForSelector('[data-id="turn-11"]');
    expect(await page.getByRole('textbox').inputValue()).toBe('');
    await page.close();
  });

  it('reaches every row of 20,000 calls with few of them in the document', async () => {
    const page = await browser.visit(pages.write(manyCalls(20_000)));
    expect(await page.locator('.sentence').textContent()).toContain('20.0k calls in 2,000 turns');
    await page.locator('[role=treeitem][tabindex="0"]').focus();
    await page.keyboard.press('End');
    await waitForSelected(page, 'call-20000');
    expect(await rowCount(page)).toBeLessThanOrEqual(500);
    expect(await page.locator('[role=treeitem][aria-selected=true]').isVisible()).toBe(true);
    const [elements, last] = await page.evaluate(() => {
      const tree = document.querySelector('[role=tree]')?.getBoundingClientRect();
      const row = document.querySelector('[aria-selected=true][role=treeitem]')?.getBoundingClientRect();
      return [document.querySelectorAll('*').length, (row?.bottom ?? 0) <= (tree?.bottom ?? 0)] as const;
    });
    expect(elements).toBeLessThan(8000);
    expect(last).toBe(true);
    // Each key moves one row, without a gap, also over rows that were not in the document.
    for (let step = 1; step <= 120; step += 1) await page.keyboard.press('ArrowUp');
    await waitForSelected(page, 'turn-1990');
    await page.keyboard.press('Home');
    await waitForSelected(page, 'turn-1');
    for (let step = 1; step <= 55; step += 1) await page.keyboard.press('j');
    await waitForSelected(page, 'turn-6');
    expect(await selectedId(page)).toBe('turn-6');
    for (const key of ['3', '4', '5']) {
      await page.keyboard.press(key);
      await page.waitForSelector(`[role=tab][aria-selected=true]:nth-child(${key})`);
      expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(8000);
    }
    await page.close();
  });
});
