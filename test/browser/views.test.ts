import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skipReason, TestBrowser, waitForSelected } from './support/chromium.ts';
import { fixtureLines, PageFolder } from './support/pages.ts';

describe.skipIf(skipReason !== '')(`views${skipReason}`, () => {
  const pages = new PageFolder();
  let browser: TestBrowser;
  let address = '';
  let page: Page;
  beforeAll(async () => {
    browser = await TestBrowser.open();
    address = pages.write(`${fixtureLines().join('\n')}\n`, 'fix issue.jsonl');
    page = await browser.visit(address);
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    pages[Symbol.dispose]();
  });

  const region = (name: string) => page.getByRole('region', { name });
  const pane = () => page.getByRole('tabpanel');
  const visit = async (fragment: string): Promise<void> => {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, fragment);
  };

  it('sums the run up in one sentence, whose counts filter the timeline', async () => {
    const sentence = page.locator('.sentence');
    expect(await sentence.textContent()).toMatch(
      /^36 committed5 after a re-run2 rolled back3 denied1 rejected\d+ asked, 54 s42 calls in 16 turns · 2 min 25 s · 127k tokens in \(90 % cached\), 3,137 out · costs 0\.\d+$/,
    );
    const denied = page.getByRole('button', { name: '3 denied' });
    await denied.click();
    expect(await denied.getAttribute('aria-pressed')).toBe('true');
    await page.waitForFunction(
      () => document.querySelectorAll('[role=treeitem][aria-level="2"]').length === 3,
    );
    expect(await page.locator('.search').textContent()).toContain('3 of 42');
    await denied.click();
  });

  it('shows the run in time, and its turns and calls as a tree with spoken labels', async () => {
    expect(await page.getByRole('img', { name: 'The run in time: 16 turns in 2 min 25 s' }).count()).toBe(1);
    const tree = page.getByRole('tree', { name: 'Turns and calls' });
    const call = tree.getByRole('treeitem', {
      name: 'rename_symbol roundCents → roundHalfEven, Rolled back threw, 1.17 s',
    });
    expect(await call.getAttribute('aria-level')).toBe('2');
    const turn = tree.getByRole('treeitem', {
      name: 'Turn 7. Halves have to go to even. I rename the function so that its name says so..',
    });
    expect([await turn.getAttribute('aria-expanded'), await turn.getAttribute('aria-level')]).toEqual([
      'true',
      '1',
    ]);
    await visit('#call-4-2');
    await waitForSelected(page, 'call-4-2');
    expect(
      await tree.getByRole('treeitem', { name: /^note_finding coupon, Committed, 2 attempts/ }).count(),
    ).toBe(1);
  });

  it('answers the questions about a rolled-back call in their order', async () => {
    await visit('#call-7-1');
    await waitForSelected(page, 'call-7-1');
    expect(await pane().getByRole('heading', { level: 2 }).textContent()).toBe('rename_symbol');
    const titles = await pane().getByRole('heading', { level: 3 }).allTextContents();
    expect(titles).toEqual([
      'Arguments',
      expect.stringMatching(/^What the model readabout \d+ tokens$/),
      'Would have changed4 changes discarded',
      'Policies',
      'Read seta change of these makes it run again',
      'Left outside',
    ]);
    expect(await pane().locator('.ghost del').first().textContent()).toContain("from './money.ts'");
    expect(await pane().locator('.ghost ins').count()).toBe(6);
    expect(await region('What the model read').textContent()).toContain('cannot be renamed safely');
  });

  it('shows what a call changed, and what became of each attempt', async () => {
    await visit('#call-5-2');
    await waitForSelected(page, 'call-5-2');
    expect(await pane().textContent()).toContain('Landed in attempt 2.');
    await pane().getByRole('button', { name: 'Attempt 1' }).click();
    expect(await pane().textContent()).toContain('changed by call-5-1 edit_file');
    expect(await pane().textContent()).toContain(
      'Nothing of this attempt: it reads only what the last one returns.',
    );
    await pane().getByRole('button', { name: 'call-5-1', exact: true }).first().click();
    await waitForSelected(page, 'call-5-1');
    expect(await pane().locator('ins').first().textContent()).not.toBe('');
    expect(await pane().locator('.ghost').count()).toBe(0);
  });

  it('says why a section is empty', async () => {
    await visit('#call-13-2');
    await waitForSelected(page, 'call-13-2');
    const text = (await pane().textContent()) ?? '';
    expect(text).toContain('It never started.');
    expect(text).toContain('None was asked: policies see only arguments that fit.');
    expect(text).toContain('Nothing. The tool has no effects outside of state and files, or it did not run.');
  });

  it('shows evaluations inside a call, and the way back', async () => {
    await visit('#call-13-1/call-1-3');
    await waitForSelected(page, 'call-13-1/call-1-3');
    await pane().getByRole('button', { name: 'call-13-1', exact: true }).click();
    await waitForSelected(page, 'call-13-1');
    expect(await pane().textContent()).toContain('Evaluations inside3 turns, 4 calls');
  });

  it('shows a request as a difference, and what it was made of', async () => {
    await visit('#turn-4');
    await waitForSelected(page, 'turn-4');
    expect(await pane().getByRole('img').getAttribute('aria-label')).toBe(
      'Instructions 2012, Tools 2759, Conversation kept 727, New in this turn 773',
    );
    const text = (await pane().textContent()) ?? '';
    expect(text).toContain(
      'Same instructions, same 17 tools. 7 messages kept. Settings: maxOutputTokens 4096.',
    );
    expect(await pane().locator('.message').count()).toBe(6);
    await pane().getByText('Whole conversation, 13 messages').click();
    await page.waitForFunction(() => document.querySelectorAll('.message').length === 19);
    await pane().getByText('Tools, 17').click();
    await pane().getByRole('region', { name: 'Tools, 17' }).waitFor();
  });

  it('shows state and files after a commit, with who wrote what', async () => {
    await visit('#state@20');
    const slider = page.getByRole('slider', { name: 'State after change' });
    await slider.waitFor();
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/^after call-8-2 edit_file$/);
    const plan = pane().getByRole('table', { name: 'planning.plan' });
    expect(await plan.getByRole('row').nth(1).textContent()).toBe(
      '1Find every place that roundsdonecall-4-4',
    );
    expect(await plan.getByRole('row').nth(2).textContent()).toBe('2Round once, half to evenpendingcall-2-1');
    const content = page.getByRole('region', { name: 'Content of src/money.ts' });
    expect(await content.getByRole('button', { name: 'call-8-2' }).count()).toBe(1);
    await page.keyboard.press(']');
    await page.waitForFunction(() => location.hash === '#state@21');
    await page.keyboard.press('[');
    await page.waitForFunction(() => location.hash === '#state@20');
    await pane().getByRole('button', { name: 'pricing.md' }).click();
    await page.getByRole('region', { name: 'Content of docs/pricing.md' }).waitFor();
  });

  it('shows policies against calls, and opens the call of a mark', async () => {
    await page.getByRole('tab', { name: 'Policies' }).click();
    const mark = page.getByRole('gridcell', { name: 'protect-paths, call-11-1 edit_file: deny' });
    await mark.hover();
    await page.waitForFunction(() =>
      document
        .querySelector('.pointed')
        ?.textContent?.includes('Denied, about its changes: config/ belongs to operations.'),
    );
    await mark.click();
    await waitForSelected(page, 'call-11-1');
    expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Call');
  });

  it('lists problems, failures first, and counts failures', async () => {
    await page.getByRole('tab', { name: 'Problems' }).click();
    const titles = await pane().getByRole('heading', { level: 3 }).allTextContents();
    expect(titles.slice(0, 3)).toEqual(['Rolled back 2', 'Denied 3', 'Rejected 1']);
    expect(await page.getByRole('tab', { name: /^Problems/ }).textContent()).toMatch(/^Problems\d+$/);
  });

  it('goes to an address that is entered while the page writes its own', async () => {
    await page.evaluate(() => {
      const { hash } = location;
      location.hash = '#call-4-2';
      history.replaceState(history.state, '', hash);
    });
    await waitForSelected(page, 'call-4-2');
    expect(await page.locator('[role=treeitem][aria-selected=true]').getAttribute('data-id')).toBe(
      'call-4-2',
    );
  });

  it('prints commands that exist, with the name of the record', async () => {
    await page.getByRole('tab', { name: 'Overview' }).click();
    await pane().getByText("wink replay 'fix issue.jsonl'").waitFor();
    const copy = pane().getByRole('button', { name: "Copy wink replay 'fix issue.jsonl'" });
    expect(await copy.isVisible()).toBe(true);
  });

  it('prints the outcome and the chosen view whole, without controls', async () => {
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('heading', { name: 'fix-issue' }).isVisible()).toBe(true);
    expect(await page.getByRole('heading', { name: 'Spent' }).isVisible()).toBe(true);
    expect(await page.getByRole('tablist').isVisible()).toBe(false);
    expect(await page.getByRole('tree').isVisible()).toBe(false);
    const whole = await pane().evaluate((box) => box.scrollHeight <= box.clientHeight);
    expect(whole).toBe(true);
    await page.emulateMedia({ media: null });
  });

  it('makes no request but for itself, and writes nothing to the console', () => {
    expect(browser.requests.map((url) => url.split('#')[0])).toEqual([address]);
    expect(browser.messages).toEqual([]);
  });
});
