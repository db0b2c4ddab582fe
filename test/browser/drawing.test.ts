import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { draws } from '../support/draws.ts';
import { skipReason, TestBrowser } from './support/chromium.ts';

/** What is drawn: a text, an element or a component, which draws its children between two texts. */
type Tree =
  | string
  | null
  | {
      readonly is: 'element' | 'component';
      readonly name: string;
      readonly key?: string | undefined;
      readonly attributes: Readonly<Record<string, string | boolean | null>>;
      readonly inner: readonly Tree[];
    };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', 'b <i>', ''),
    fc.constant(null),
    fc.record({
      is: fc.constantFrom('element' as const, 'component' as const),
      name: fc.constantFrom('p', 'ul', 'button', 'svg'),
      key: fc.option(fc.constantFrom('1', '2', '3', '4'), { nil: undefined }),
      attributes: fc.dictionary(
        fc.constantFrom('class', 'title', 'hidden', 'aria-label'),
        fc.oneof(fc.constantFrom('x', 'y'), fc.boolean(), fc.constant(null)),
        { noNullPrototype: true },
      ),
      inner: fc.array(tie('tree'), { maxLength: 4 }),
    }),
  ),
}));

/** Siblings that come, go and change their places. */
const siblings: fc.Arbitrary<readonly Tree[]> = fc.shuffledSubarray(['1', '2', '3', '4', '5']).map((keys) =>
  keys.map((key, index) => ({
    is: Number(key) % 2 === 0 ? 'component' : 'element',
    name: 'button',
    key,
    attributes: { title: key },
    inner: [`${key} is ${index}`],
  })),
);

/** The drawing of the page as a script, with what draws a {@link Tree}. */
async function drawingScript(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'wink-drawing-'));
  try {
    const drawing = fileURLToPath(new URL('../../src/viewer/view/drawing/', import.meta.url));
    const input = join(folder, 'entry.ts');
    writeFileSync(
      input,
      `
import { draw } from ${JSON.stringify(join(drawing, 'draw.ts'))};
import { element, Fragment } from ${JSON.stringify(join(drawing, 'element.ts'))};
import { useEffect, useMemo, useRedraw, useRef } from ${JSON.stringify(join(drawing, 'hooks.ts'))};

const counts = { begun: 0, ended: 0 };
const redraws = new Set();
const components = Object.fromEntries(['p', 'ul', 'button', 'svg'].map((name) => [name, ({ children }) => {
  const drawn = useRef(0);
  const redraw = useRedraw();
  useEffect(() => {
    counts.begun += 1;
    redraws.add(redraw);
    return () => { counts.ended += 1; redraws.delete(redraw); };
  }, []);
  useEffect(() => { drawn.current += 1; });
  const text = useMemo(() => '<' + name, [name]);
  return element(Fragment, null, text, children, '>');
}]));
const toContent = (tree) =>
  tree === null || typeof tree === 'string'
    ? tree
    : element(tree.is === 'element' ? tree.name : components[tree.name], { key: tree.key, ...tree.attributes }, ...tree.inner.map(toContent));
Object.assign(globalThis, { wink: {
  counts, redraws,
  draw: (trees, host) => draw(element(Fragment, null, ...trees.map(toContent)), host),
} });
`,
    );
    const build = await rolldown({ input, platform: 'browser' });
    const { output } = await build.generate({ format: 'iife' });
    await build.close();
    return output[0].code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.skipIf(skipReason !== '')(`drawing${skipReason}`, () => {
  let browser: TestBrowser;
  let page: Page;
  beforeAll(async () => {
    browser = await TestBrowser.open();
    page = await browser.context.newPage();
    await page.addScriptTag({ content: await drawingScript() });
  });
  afterAll(async () => browser?.[Symbol.asyncDispose]());

  it('ends with what would have been drawn at once, whatever was drawn before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.array(tree, { maxLength: 5 }), siblings), { minLength: 1, maxLength: 5 }),
        async (steps) => {
          const [after, fresh, open] = await page.evaluate(async (drawn: readonly (readonly Tree[])[]) => {
            const { wink } = globalThis as unknown as {
              wink: {
                counts: { begun: number; ended: number };
                redraws: Set<() => void>;
                draw: (trees: readonly Tree[], host: Element) => void;
              };
            };
            const [host, other] = [document.createElement('div'), document.createElement('div')];
            document.body.append(host, other);
            for (const trees of drawn) {
              wink.draw(trees, host);
              // Components by themselves, too.
              for (const redraw of wink.redraws) redraw();
              await Promise.resolve();
            }
            wink.draw(drawn.at(-1) ?? [], other);
            // The order of attributes does not count.
            const html = host.isEqualNode(other) ? ['same', 'same'] : [host.innerHTML, other.innerHTML];
            wink.draw([], host);
            wink.draw([], other);
            const isLeft = host.childNodes.length + other.childNodes.length > 0 || wink.redraws.size > 0;
            return [
              ...html,
              isLeft || wink.counts.begun !== wink.counts.ended ? 'something is left' : 'all has ended',
            ];
          }, steps);
          expect(after).toBe(fresh);
          expect(open).toBe('all has ended');
        },
      ),
      { numRuns: draws(300) },
    );
    expect(browser.messages).toEqual([]);
  });

  it('keeps an element with its focus where its key goes', async () => {
    const places = await page.evaluate(() => {
      const { wink } = globalThis as unknown as {
        wink: { draw: (trees: readonly unknown[], host: Element) => void };
      };
      const host = document.body.appendChild(document.createElement('div'));
      const button = (key: string) => ({
        is: 'element',
        name: 'button',
        key,
        attributes: { title: key },
        inner: [key],
      });
      wink.draw(['1', '2', '3'].map(button), host);
      const second = host.querySelector<HTMLElement>('[title="2"]');
      second?.focus();
      const where: unknown[] = [];
      for (const keys of [['2', '3'], ['4', '2', '3'], ['2'], ['1', '2']]) {
        wink.draw(keys.map(button), host);
        where.push([host.textContent, document.activeElement === second, host.contains(second)]);
      }
      return where;
    });
    expect(places).toEqual([
      ['23', true, true],
      ['423', true, true],
      ['2', true, true],
      ['12', true, true],
    ]);
  });
});
