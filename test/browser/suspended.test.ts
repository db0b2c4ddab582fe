import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skipReason, TestBrowser } from './support/chromium.ts';
import { PageFolder } from './support/pages.ts';
import { suspendedRun } from './support/suspended-run.ts';

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

  it('says that it waits, for what, and where it went on before', async () => {
    const address = pages.write(`${suspendedRun.join('\n')}\n`);
    const page = await browser.visit(`${address}#turn-2`);
    expect(await page.locator('.notices').textContent()).toBe(
      'Suspended: the run waits for answers to its questions.',
    );
    await page
      .getByText('first asks about publish: Publish this? The run ended with the question.')
      .waitFor();
    await page.getByText('The run went on here, after 1 commit; changed since it began: tools.').waitFor();
    await page.close();
  });
});
