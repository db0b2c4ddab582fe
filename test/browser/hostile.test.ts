import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skipReason, TestBrowser } from './support/chromium.ts';
import { PageFolder } from './support/pages.ts';
import { commitRow, endRow, headerRow, record, responseRow } from './support/rows.ts';

const hostile = [
  '<script>window.owned = 1</script>',
  '</script><script>window.owned = 2</script>',
  '<!--<script>',
  '<img src="http://127.0.0.1:9/x.png" onerror="window.owned = 3">',
  '"><svg onload="window.owned = 4">',
  'javascript:window.owned=5',
  '\u001b[31mred\u001b]8;;http://127.0.0.1:9/\u0007link',
  'user\u202e\u2066 // reversed',
  '{{constructor.constructor("window.owned=6")()}}',
  '__proto__',
  'constructor',
  'hasOwnProperty',
];

/** Characters that would act instead of being shown. */
const acting = /(?![\n\t])\p{Cc}|\p{Bidi_Control}/u;

/** A record in which every text is hostile. */
function hostileRecord(): string {
  const text = hostile.join('\n');
  const rows: Readonly<Record<string, unknown>>[] = [
    headerRow({ promptName: text, agent: text, runId: text, model: text, policies: hostile }),
    { type: 'slice', t: 0, name: '__proto__', policy: 'state', isKeyed: true, version: 1 },
    { type: 'unheard-of', __proto__: 1 },
    responseRow(1, 100, text),
  ];
  hostile.forEach((name, index) => {
    const contents = hash(index);
    rows.push({ type: 'blob', hash: contents, text: `${text}\n${name}` });
    rows.push(
      commitRow(
        index + 1,
        1,
        100 + index * 10,
        {
          callId: `call-${name}`,
          toolName: name,
          params: JSON.parse(
            `{"__proto__":"p","constructor":{"prototype":1},${JSON.stringify(name)}:${JSON.stringify(text)}}`,
          ),
          policies: [{ policy: name, about: 'call', outcome: 'ask', reason: text, isEnforced: true }],
          writes: [
            {
              slice: '__proto__',
              op: 'put',
              key: '__proto__',
              item: JSON.parse(`{"__proto__":${JSON.stringify(text)}}`),
            },
          ],
          files: [
            {
              path: `javascript:alert(1)/${name}`,
              kind: 'created',
              entry: 'file',
              after: { hash: contents, bytes: text.length },
            },
          ],
        },
        { message: text, modelText: text },
      ),
    );
  });
  return record([...rows, endRow(1, 1000)]);
}

const hash = (index: number): string => index.toString(16).padStart(64, '0');

describe.skipIf(skipReason !== '')(`hostile records${skipReason}`, () => {
  const pages = new PageFolder();
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await TestBrowser.open();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    pages[Symbol.dispose]();
  });

  async function expectInert(page: Page, address: string): Promise<void> {
    expect(await page.evaluate(() => 'owned' in window)).toBe(false);
    expect(
      await page.evaluate(
        // The icon is the page's own.
        () =>
          document.querySelectorAll(
            'img, iframe, a[href], object, embed, link:not([rel=icon][href^="data:"])',
          ).length,
      ),
    ).toBe(0);
    // What to do about codes, the record, the program.
    expect(await page.evaluate(() => document.scripts.length)).toBe(3);
    expect(await page.evaluate(() => Object.keys(Object.prototype))).toEqual([]);
    expect(browser.requests.filter((url) => !url.startsWith(address) && url !== 'about:blank')).toEqual([]);
    expect(browser.messages).toEqual([]);
  }

  it('are texts in every view', async () => {
    browser.requests.length = 0;
    const address = pages.write(hostileRecord(), '"><script>window.owned=7</script>.jsonl');
    const page = await browser.visit(address);
    await page.keyboard.press('Home');
    for (let row = 0; row <= hostile.length; row += 1) {
      for (const view of ['1', '2', '3', '4']) {
        await page.keyboard.press(view);
        await page.waitForSelector(`[role=tab][aria-selected=true]:nth-child(${view})`);
        expect(await page.getByRole('tabpanel').textContent()).not.toMatch(acting);
      }
      await page.keyboard.press('j');
    }
    expect(await page.locator('.left').textContent()).not.toMatch(acting);
    expect(await page.locator('.notices').textContent()).toContain('unheard-of 1');
    await expectInert(page, address);
    await page.close();
  });

  it('may hold a line of 10 MB, of which a part is shown at once', async () => {
    browser.requests.length = 0;
    const long = `<b>${'x'.repeat(10_000_000)}`;
    const contents = hash(1);
    const address = pages.write(
      record([
        headerRow(),
        responseRow(1, 100, 'A long line.'),
        { type: 'blob', hash: contents, text: long },
        commitRow(
          1,
          1,
          100,
          {
            params: { text: { $ref: contents } },
            files: [
              {
                path: 'long.txt',
                kind: 'created',
                entry: 'file',
                after: { hash: contents, bytes: long.length },
              },
            ],
          },
          { modelText: { $ref: contents } },
        ),
        endRow(1, 200),
      ]),
    );
    const page = await browser.visit(`${address}#call-1`);
    await page.getByRole('heading', { name: 'note' }).waitFor();
    expect((await page.locator('body').innerText()).length).toBeLessThan(300_000);
    await page
      .getByRole('button', { name: /^Show more: 9\.\d MB left$/ })
      .first()
      .click();
    await page.keyboard.press('3');
    await page.getByRole('region', { name: 'Content of long.txt' }).waitFor();
    await expectInert(page, address);
    await page.close();
  });

  it.each([
    ['torn', (text: string) => text.slice(0, -40), 'The last line was cut off'],
    [
      'partly unknown',
      (text: string) => `${text}{"type":"later"}\n`,
      'Not shown: rows of types that this version does not know (later 1).',
    ],
  ])('says of a record that is %s what it is', async (_name, change, notice) => {
    const text = record([headerRow(), responseRow(1, 100, 'Hello.'), commitRow(1, 1, 100), endRow(1, 200)]);
    const page = await browser.visit(pages.write(change(text)));
    expect(await page.getByRole('list', { name: 'About this record' }).textContent()).toContain(notice);
    await page.close();
  });

  it.each([
    [
      'a line that is not JSON',
      (lines: string[]) => lines.with(3, '{"type":'),
      'Line 4 is not a row of a record',
    ],
    [
      'a text that is missing',
      (lines: string[]) => lines.with(3, '{"type":"blob","$ref":1}'),
      'its blob has no hash',
    ],
    ['a second header', (lines: string[]) => lines.with(3, lines[0] ?? ''), 'a record has one header'],
  ])('shows what comes before %s, and says so', async (_name, damage, message) => {
    const rows = [
      headerRow(),
      responseRow(1, 100, 'Hello.'),
      commitRow(1, 1, 100),
      commitRow(2, 1, 120),
      endRow(1, 200),
    ];
    const page = await browser.visit(pages.write(damage(record(rows).split('\n')).join('\n')));
    const notices = page.getByRole('list', { name: 'About this record' }).getByRole('listitem');
    expect(await notices.allTextContents()).toEqual([
      expect.stringMatching(/^Damaged: Line 4 .*What comes before is shown\.$/),
    ]);
    expect(await notices.textContent()).toContain(message);
    expect(await page.locator('.sentence').textContent()).toContain('1 call in 1 turn');
    await page.close();
  });

  it('shows a record of a header alone', async () => {
    const page = await browser.visit(pages.write(record([headerRow()])));
    expect(await page.locator('.sentence').textContent()).toContain('0 calls in 0 turns');
    expect(browser.messages).toEqual([]);
    await page.close();
  });

  it.each([
    ['no record', '', 'This page holds no record'],
    ['another version', record([headerRow({ version: 'wink-run/9' })]), 'wink-run/9'],
    ['something else', '{"a":1}\n{"b":2}\n', 'record'],
  ])('says why %s is not shown', async (_name, text, message) => {
    const page = await browser.visit(pages.write(text));
    expect(await page.getByRole('alert').textContent()).toContain(message);
    await page.close();
  });
});
