import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skipReason, TestBrowser } from './support/chromium.ts';
import { failedRun, finishedRun, interruptedRun, waitingRun } from './support/ended-runs.ts';
import { PageFolder } from './support/pages.ts';
import { answeredRun } from './support/suspended-run.ts';

interface Case {
  readonly name: string;
  readonly rows: readonly string[];
  readonly badge: string;
  readonly title: string;
  /** Role and text of the band below the name. */
  readonly reason: readonly [role: 'alert' | 'note', text: string] | undefined;
}

const cases: readonly Case[] = [
  {
    name: 'failed',
    rows: failedRun,
    badge: 'Failed',
    title: '✗ release · wink view',
    reason: [
      'alert',
      'deploy failed in 5 turns with the same arguments and the same reason: connect ECONNREFUSED 10.0.0.7:443',
    ],
  },
  {
    name: 'waiting',
    rows: waitingRun,
    badge: 'Waiting',
    title: '⏸ coder · wink view',
    reason: ['note', 'edit_file waits for the answer to a question of protect-src: Sources need a person.'],
  },
  {
    name: 'interrupted',
    rows: interruptedRun,
    badge: 'Interrupted',
    title: '◌ release · wink view',
    reason: ['note', 'The process ended before the run did.'],
  },
  {
    name: 'finished',
    rows: finishedRun,
    badge: 'Finished',
    title: '✓ release · wink view',
    reason: undefined,
  },
];

describe.skipIf(skipReason !== '')(`what became of a run${skipReason}`, () => {
  const pages = new PageFolder();
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await TestBrowser.open();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    pages[Symbol.dispose]();
  });

  const open = (rows: readonly string[], width: number, fragment = ''): Promise<Page> =>
    browser.visit(`${pages.write(`${rows.join('\n')}\n`)}${fragment}`, { width });

  it.each(cases.flatMap((each) => [1440, 400].map((width) => ({ ...each, width }))))(
    'is seen first: $name at $width pixels',
    async ({ rows, badge, title, reason, width }) => {
      const page = await open(rows, width);
      const first = [page.getByRole('status'), page.getByRole('heading', { level: 1 })];
      expect(await page.getByRole('status').textContent()).toBe(badge);
      if (reason !== undefined) {
        const band = page.getByRole(reason[0]);
        expect(await band.textContent()).toContain(reason[1]);
        first.push(band);
      }
      first.push(page.locator('.sentence'), page.getByRole('tablist'));
      for (const part of first) {
        const box = await part.boundingBox();
        expect((box?.y ?? 0) + (box?.height ?? 999)).toBeLessThanOrEqual(300);
      }
      expect(await page.title()).toBe(title);
      expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^data:image\/svg/);
      expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Overview');
      expect(await page.getByText('replaced by the redaction').count()).toBe(0);
      await page.close();
    },
  );

  it('counts calls that failed alike, and shows them as one until they are asked for', async () => {
    const page = await open(failedRun, 1440);
    const pane = page.getByRole('tabpanel');
    await pane.getByText('Turns 2 to 6, 5 calls, nothing committed in between').waitFor();
    await pane.getByText('An external tool: what it did outside before it failed stays.').waitFor();
    const tree = page.getByRole('tree');
    const row = tree.getByRole('treeitem', { name: /^deploy/ });
    expect(await row.count()).toBe(1);
    expect(await row.getAttribute('aria-label')).toContain('4 more times in turns 3 to 6');
    await tree.getByText('show', { exact: true }).click();
    await page.waitForFunction(
      () => document.querySelectorAll('[role=treeitem][aria-level="2"]').length === 6,
    );
    await page.getByRole('tab', { name: /^Problems/ }).click();
    await pane.getByText('×5').waitFor();
    await page.close();
  });

  it('shows what a run waits for, and what it will land', async () => {
    const page = await open(waitingRun, 1440);
    const waits = page.getByRole('tabpanel').locator('.section').first();
    expect(await waits.locator('ins').textContent()).toBe('echo $(( $1 + $2 ))');
    expect(await waits.locator('del').textContent()).toBe('echo $(( $1 - $2 ))');
    const row = page.locator('[role=treeitem][data-id="call-2"]');
    expect(await row.locator('.phase.asked').count()).toBe(1);
    expect(await row.locator('.wait-name').textContent()).toBe('waits for a person');
    await page.close();
  });

  it.each([1440, 400])('says what was spent of each limit at %d pixels', async (width) => {
    const page = await open(failedRun, width);
    const pane = page.getByRole('tabpanel');
    const figures = pane.locator('.section', { hasText: 'Spent' }).locator('.grid > div');
    expect(await figures.allTextContents()).toEqual([
      'Tokens in16.9k 62 % cached',
      'Tokens out214 ',
      'Cost0.0233 of 0.0200',
      'Turns6 of 20',
    ]);
    expect(await figures.nth(2).locator('.meter .full').count()).toBe(1);
    expect(await figures.nth(3).locator('i').getAttribute('style')).toContain('30%');
    await pane.getByText('nothing committed in between; the limit is 5 turns.').waitFor();
    await pane.getByText('All codes: guides/reference/errors.md of the package.').waitFor();
    await pane.getByText('1 changed, not written because the run failed').waitFor();
    await page.close();
  });

  it.each([1440, 400])('shows a structured answer as a table at %d pixels', async (width) => {
    const page = await open(finishedRun, width);
    const rows = page.getByRole('tabpanel').getByRole('row');
    expect(await rows.allTextContents()).toEqual(['version1.2.0', 'changed3', 'notes["first","second"]']);
    await page.close();
  });

  it.each([1440, 400])('says how long a question has waited at %d pixels', async (width) => {
    const askedAtMs = Date.now() - 12 * 60_000;
    const rows = waitingRun.map((row) =>
      row.includes('"type":"header"')
        ? row.replace(/"startedAtMs":\d+/, `"startedAtMs":${askedAtMs - 2_200}`)
        : row.replace(
            /"askedAtMs":\d+,"expiresAtMs":\d+/,
            `"askedAtMs":${askedAtMs},"expiresAtMs":${askedAtMs + 604_800_000}`,
          ),
    );
    const page = await open(rows, width);
    const pane = page.getByRole('tabpanel');
    await pane.getByText(/^Asked 1\d min ago, can be answered for 6 d 23 h\.$/).waitFor();
    const approvals = pane.locator('.section', { hasText: 'Approvals' });
    expect(await approvals.textContent()).toMatch(
      /edit_file src\/sum\.shprotect-src · asked 1\d min ago, can be answered for 6 d 23 hopen$/,
    );
    await page.close();
  });

  it.each([1440, 400])('says under which turn a run continued at %d pixels', async (width) => {
    const page = await open(answeredRun, width);
    if (width < 760) await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('tree').getByText('after resume, 1 min 0 s later').waitFor();
    const turn = page.locator('[role=treeitem][data-id="turn-2"]');
    expect(await turn.getAttribute('aria-label')).toContain(
      'It continues here after resume, 1 min 0 s later.',
    );
    await page.close();
  });

  it('draws one wait of the length that a person took, across lives', async () => {
    const page = await open(answeredRun, 1440);
    const row = page.locator('[role=treeitem][data-id="call-2"]');
    expect(await row.locator('.badge').first().textContent()).toBe('attempts 1, 2');
    expect(await row.locator('.phase.asked').count()).toBe(1);
    expect(await row.locator('.wait-name').textContent()).toBe('waited for a person, 50.0 s');
    const approvals = page.getByRole('tabpanel').locator('.section', { hasText: 'Approvals' });
    expect(await approvals.textContent()).toContain('after 50.0 s');
    await page.close();
  });

  it('leaves out of the state what the library keeps, until it is asked for', async () => {
    const rows = [...finishedRun];
    const library = { type: 'slice', t: 0, name: 'weakincentives.books', policy: 'state', isKeyed: false };
    const page = await open(rows.toSpliced(1, 0, JSON.stringify(library)), 1440, '#state@1');
    const pane = page.getByRole('tabpanel');
    await pane.getByText('commit 1 of 1 (0 changed this)').waitFor();
    expect(await pane.getByText('weakincentives.books').count()).toBe(0);
    const show = pane.getByRole('switch', { name: 'Show what the library keeps' });
    expect(await show.getAttribute('aria-checked')).toBe('false');
    await show.click();
    await pane.getByText('weakincentives.books').waitFor();
    await page.close();
  });

  it('says where the redaction replaced something, and only then', async () => {
    const rows = finishedRun.map((row) =>
      row.includes('"type":"commit"') ? row.replace('{', '{"redacted":true,') : row,
    );
    const page = await open(rows, 400);
    const pane = page.getByRole('tabpanel');
    await pane.getByText('Values were replaced by the redaction in 1 place').waitFor();
    await pane.getByRole('button', { name: 'show' }).click();
    const place = pane.getByRole('button', { name: 'write_file' }).last();
    await place.waitFor();
    expect(await place.isVisible()).toBe(true);
    await page.close();
  });
});
