import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type FollowServer, startFollowServer } from '../../src/cli/view/follow-server.ts';
import { servedPage } from '../../src/cli/view/viewer-page.ts';
import { skipReason, TestBrowser, waitForSelected } from './support/chromium.ts';
import { builtPage, fixtureLines } from './support/pages.ts';

describe.skipIf(skipReason !== '')(`a record that is followed${skipReason}`, () => {
  let browser: TestBrowser;
  let server: FollowServer | undefined;
  beforeAll(async () => {
    browser = await TestBrowser.open();
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  /** Serves lines; more are sent by the returned function. */
  async function serve(lines: readonly string[]) {
    let send: (text: string) => Promise<void> = () => Promise.reject(new Error('There is no reader.'));
    server = await startFollowServer(servedPage(builtPage()), async (sendBytes, signal) => {
      send = (text) => sendBytes(Buffer.from(text));
      await send(lines.map((line) => `${line}\n`).join(''));
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    return { address: server.address, send: (text: string) => send(text) };
  }

  it('grows in the page, which keeps what is selected', async () => {
    const lines = fixtureLines();
    const { address, send } = await serve(lines.slice(0, 60));
    const page = await browser.visit(address);
    expect(await page.locator('.sentence').textContent()).not.toContain('42 calls');
    expect(await page.locator('.state').textContent()).toMatch(/^Running /);
    expect(await page.title()).toBe('• fix-issue · wink view');
    await page.keyboard.press('j');
    const id = await page.locator('[role=treeitem][aria-selected=true]').getAttribute('data-id');
    // A line that arrives in two parts is one line.
    const text = lines
      .slice(60)
      .map((line) => `${line}\n`)
      .join('');
    await send(text.slice(0, 1000));
    await send(text.slice(1000));
    await page.waitForFunction(() => document.querySelector('.sentence')?.textContent?.includes('42 calls'));
    await waitForSelected(page, id ?? '');
    await page.waitForFunction(() => document.title === '✓ fix-issue · wink view');
    await page.close();
  });

  it('says that its server has ended before the run did', async () => {
    const { address } = await serve(fixtureLines().slice(0, 60));
    const page = await browser.visit(address);
    await server?.close();
    const notice = page.getByText('The command that served this page has ended');
    await notice.waitFor();
    expect(await notice.count()).toBe(1);
    await page.close();
  });

  it('shows what comes before a damaged line, and says so', async () => {
    const { address, send } = await serve(fixtureLines().slice(0, 60));
    const page = await browser.visit(address);
    await page.waitForSelector('[role=tree]');
    await send('{"type":\n{"type":"later"}\n');
    await page.getByText('Damaged: Line 61 is not a row of a record: it is not JSON').waitFor();
    await page.waitForFunction(() => document.title === '◌ fix-issue · wink view');
    expect(await page.getByText('The command that served this page has ended').count()).toBe(0);
    await page.close();
  });

  it('has no token in its address, and none for a page without it', async () => {
    const { address } = await serve(fixtureLines());
    browser.requests.length = 0;
    const page = await browser.visit(address);
    expect(page.url()).not.toContain('token');
    expect(browser.requests.map((url) => new URL(url).pathname)).toEqual(['/', '/rows']);
    await page.reload();
    await page.waitForSelector('[role=tree]');
    await page.close();
    const other = await browser.visit(address.split('#')[0] ?? '');
    expect(await other.getByRole('alert').textContent()).toContain('This page holds no record');
    await other.close();
    const wrong = await browser.visit(`${address.split('#')[0]}#token=${'x'.repeat(32)}`);
    expect(await wrong.getByRole('alert').textContent()).toContain('The command answered 401');
    await wrong.close();
  });
});
