import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skipReason, TestBrowser } from './support/chromium.ts';
import { PageFolder } from './support/pages.ts';
import { answeredRun, suspendedRun } from './support/suspended-run.ts';

describe.skipIf(skipReason !== '')(`a run that is suspended${skipReason}`, () => {
  const pages = new PageFolder();
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await TestBrowser.open();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    pages[Symbol.dispose]();
  });

  it('says that it waits, for what, and where it continued before', async () => {
    const address = pages.write(`${suspendedRun.join('\n')}\n`);
    const page = await browser.visit(`${address}#turn-2`);
    expect(await page.getByRole('note', { name: 'Outcome' }).textContent()).toContain(
      'publish waits for the answer to a question of first: Publish this?',
    );
    await page
      .getByText('first asks about publish: Publish this? The run ended with the question.')
      .waitFor();
    await page.getByText('The run continued here, after 1 commit; changed since it began: tools.').waitFor();
    await page.close();
  });

  it('and continued after the answer shows the wait for it, and no re-run', async () => {
    const page = await browser.visit(pages.write(`${answeredRun.join('\n')}\n`));
    const said = await page.locator('.sentence').textContent();
    expect(said).toContain('2 calls in 2 turns · 7.00 s of work, 1 min 7 s in all');
    expect(said).toContain('1 asked, 50 s');
    expect(said).not.toContain('re-run');
    // In the strip: the wait, and the time in which no process worked on the run.
    expect(await page.locator('.strip svg rect[fill^="url(#hatch"]').count()).toBe(1);
    expect(await page.locator('.strip svg title', { hasText: 'No process worked on the run' }).count()).toBe(
      1,
    );
    const row = page.locator('[role=treeitem][data-id="call-2"]');
    expect(await row.getAttribute('aria-label')).toContain('waited 50.0 s for a person');
    expect(await row.getAttribute('aria-label')).not.toContain('attempts');
    expect(await row.locator('.phase.asked').count()).toBe(1);
    await row.click();
    const attempts = page.getByRole('group', { name: 'Attempts' }).getByRole('button');
    expect(await attempts.allTextContents()).toEqual(
      ['Attempt 1 · asked a person', 'Attempt 2 · landed after resume'].map((text) =>
        expect.stringContaining(text),
      ),
    );
    await attempts.first().click();
    await page.getByText('It asked a person, and the run ended with the question.').waitFor();
    expect(await page.getByRole('heading', { name: 'Conflicts' }).count()).toBe(0);
    await page.close();
  });
});
