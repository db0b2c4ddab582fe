import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skipReason, TestBrowser } from './support/chromium.ts';
import { fixtureLines, PageFolder } from './support/pages.ts';

/** Texts of the page whose contrast to what is below them is less than 4.5, with their colors. */
function weakTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const parse = (color: string): readonly [number, number, number, number] => {
      const [r = 0, g = 0, b = 0, a = 1] = (color.match(/[\d.]+/g) ?? []).map(Number);
      return [r, g, b, a];
    };
    const over = (
      top: readonly number[],
      below: readonly number[],
    ): readonly [number, number, number, number] => {
      const a = top[3] ?? 1;
      const mix = (index: number): number => (top[index] ?? 0) * a + (below[index] ?? 0) * (1 - a);
      return [mix(0), mix(1), mix(2), 1];
    };
    const luminance = (color: readonly number[]): number => {
      const part = (value: number): number => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      };
      return 0.2126 * part(color[0] ?? 0) + 0.7152 * part(color[1] ?? 0) + 0.0722 * part(color[2] ?? 0);
    };
    const backgroundOf = (element: Element): readonly [number, number, number, number] => {
      const layers: (readonly [number, number, number, number])[] = [];
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        const color = parse(getComputedStyle(at).backgroundColor);
        if (color[3] > 0) layers.push(color);
        if (color[3] === 1) break;
      }
      return layers.reduceRight<readonly [number, number, number, number]>(
        (below, layer) => over(layer, below),
        [255, 255, 255, 1],
      );
    };
    const weak: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const { parentElement: element } = node;
      const text = node.textContent?.trim() ?? '';
      if (
        element === null ||
        text === '' ||
        element.closest('script, style, title, .spoken, noscript') !== null
      )
        continue;
      if (element.getClientRects().length === 0) continue;
      const style = getComputedStyle(element);
      const below = backgroundOf(element);
      const color = over(parse(element instanceof SVGElement ? style.fill : style.color), below);
      const [high, low] = [luminance(color), luminance(below)].sort((a, b) => b - a);
      const ratio = ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
      if (ratio < 4.5)
        weak.push(`${ratio.toFixed(2)} ${element.className || element.tagName} "${text.slice(0, 30)}"`);
    }
    return [...new Set(weak)];
  });
}

const views = [
  '#overview',
  '#call-7-1',
  '#call-5-2',
  '#call-11-1',
  '#call-13-1',
  '#turn-4',
  '#turn-16',
  '#state@21',
  '#policies',
  '#problems',
];

describe.skipIf(skipReason !== '')(`look${skipReason}`, () => {
  const pages = new PageFolder();
  let browser: TestBrowser;
  let address = '';
  beforeAll(async () => {
    browser = await TestBrowser.open();
    address = pages.write(fixtureLines().join('\n'));
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    pages[Symbol.dispose]();
  });

  describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
    it.each(views)('has enough contrast in %s', async (view) => {
      const page = await browser.visit(`${address}${view}`, { theme });
      await page.locator('[role=treeitem]').nth(4).hover();
      expect(await weakTexts(page)).toEqual([]);
      expect(await page.locator('[role=treeitem]').count()).toBeGreaterThan(10);
      await page.close();
    });

    it('has enough contrast in the help', async () => {
      const page = await browser.visit(address, { theme });
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      expect(await weakTexts(page)).toEqual([]);
      await page.close();
    });
  });

  it('finds a text that is too weak', async () => {
    const page = await browser.visit(address);
    await page.evaluate(() => {
      document.querySelector('h1')?.style.setProperty('color', '#999');
    });
    expect(await weakTexts(page)).toEqual([expect.stringContaining('fix-issue')]);
    await page.close();
  });

  it.each([1440, 1000, 400])('fits into %d pixels', async (width) => {
    for (const view of ['', ...views]) {
      const page = await browser.visit(`${address}${view}`, { width });
      const [inner, whole] = await page.evaluate(
        () => [innerWidth, document.documentElement.scrollWidth] as const,
      );
      expect([view, whole]).toEqual([view, inner]);
      const wide = await page.evaluate(() => {
        const pane = document.querySelector('#pane');
        return pane !== null && pane.scrollWidth > pane.clientWidth;
      });
      expect([view, wide]).toEqual([view, false]);
      await page.close();
    }
  });

  it('shows timeline or details on a narrow screen, with a way back', async () => {
    const page = await browser.visit(address, { width: 400 });
    expect(await page.getByRole('tree').isVisible()).toBe(false);
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('tree').waitFor();
    expect(await page.getByRole('tabpanel').isVisible()).toBe(false);
    await page.getByRole('treeitem', { name: /^planning_setup_plan/ }).click();
    await page.getByRole('heading', { name: 'planning_setup_plan' }).waitFor();
    expect(await page.getByRole('tree').isVisible()).toBe(false);
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('tree').waitFor();
    await page.close();
  });
});
