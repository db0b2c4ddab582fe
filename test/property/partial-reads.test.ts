import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Filesystem, MemoryFilesystem, readBeforeWritePolicy } from 'weakincentives';
import { draws } from '../support/draws.ts';
import { PolicyStage } from '../unit/core/policy/policy-fixtures.ts';

const path = 'file.txt';
const policy = readBeforeWritePolicy();

/** A step, its numbers taken as fractions of what the file holds then. */
type Step =
  | { readonly kind: 'read' | 'part' | 'search'; readonly at: number; readonly length: number }
  | { readonly kind: 'edit' | 'sed'; readonly at: number; readonly length: number; readonly how: How }
  | { readonly kind: 'append' | 'write' | 'outside' | 'move' }
  | { readonly kind: 'keep'; readonly at: number };
type How = 'replace' | 'remove' | 'before' | 'after' | 'lines';

const fraction = fc.nat(99).map((hundredths) => hundredths / 100);
const length = fc.integer({ min: 1, max: 12 });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('read', 'part', 'search'), at: fraction, length }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('edit', 'sed'),
      at: fraction,
      length,
      how: fc.constantFrom<How>('replace', 'remove', 'before', 'after', 'lines'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('append', 'write', 'outside', 'move') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('keep' as const), at: fraction }) },
);

/**
 * The oracle: each character of the file is there once, and is known or not. A line feed is known at its position. What the model must not lose are characters
 * that it does not know; what it may always change is what it knows in one piece.
 */
class Oracle {
  text = '';
  known: boolean[] = [];
  #next = 0x4e00;

  /** Characters that nothing else has. */
  fresh(count: number): string {
    const codes = Array.from({ length: count }, () => this.#next++);
    return String.fromCharCode(...codes);
  }

  read(start: number, end: number): void {
    this.known.fill(true, start, end);
  }

  isKnown(start: number, end: number): boolean {
    return this.known.slice(start, end).every(Boolean);
  }

  /** Whether a change would lose a character that is not known. */
  loses(after: string): boolean {
    return [...this.text].some(
      (unit, at) => unit !== '\n' && this.known[at] !== true && !after.includes(unit),
    );
  }

  /** Puts text in the place of a part. */
  replace(start: number, end: number, text: string): void {
    this.known.splice(start, end - start, ...Array.from(text, () => true));
    this.text = this.text.slice(0, start) + text + this.text.slice(end);
  }
}

/** A text of lines of characters that are all different. */
function lines(oracle: Oracle, lengths: readonly number[]): string {
  return lengths.map((count) => `${oracle.fresh(count)}\n`).join('');
}

describe('what was read of a file', () => {
  it('is what may be changed, through any steps', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(8), { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        fc.array(anyStep, { minLength: 1, maxLength: 25 }),
        async (lengths, endsWithLine, steps) => {
          const oracle = new Oracle();
          const start = lines(oracle, lengths);
          oracle.text = endsWithLine ? start : start.slice(0, -1);
          oracle.known = Array.from(oracle.text, () => false);
          await run(oracle, steps);
        },
      ),
      { numRuns: draws(1000) },
    );
  });
});

async function run(oracle: Oracle, steps: readonly Step[]): Promise<void> {
  const files = new MemoryFilesystem({ files: { [path]: oracle.text } });
  const stage = new PolicyStage(files);
  let name = path;
  // Nothing of the file is known at first, and again once others have changed it.
  let isAnyKnown = false;
  const change = async (tool: string, work: (view: Filesystem) => Promise<unknown>): Promise<boolean> => {
    const denial = await stage.call(policy, tool, { path: name }, ({ view }) => work(view));
    return denial === undefined;
  };
  for (const step of steps) {
    const { text } = oracle;
    expect((await files.read(name)).text).toBe(text);
    switch (step.kind) {
      case 'read': {
        const offset = Math.floor(step.at * (text.split('\n').length + 1));
        await stage.call(policy, 'read_file', { path: name }, async ({ view }) => {
          const window = await view.read(name, { offset, limit: step.length });
          const from = text.split('\n').slice(0, offset).join('\n').length + (offset === 0 ? 0 : 1);
          oracle.read(from, from + window.text.length);
          isAnyKnown ||= window.text !== '' || text === '';
        });
        break;
      }
      case 'part': {
        const from = Math.floor(step.at * text.length);
        const to = Math.min(text.length, from + step.length);
        await stage.call(policy, 'read_file', { path: name }, ({ view }) =>
          view.read(name, { '~shown': () => [from, to] }),
        );
        oracle.read(from, to);
        isAnyKnown ||= from < to || text === '';
        break;
      }
      case 'search': {
        const unit = text[Math.floor(step.at * text.length)];
        if (unit === undefined || unit === '\n') break;
        await stage.call(policy, 'grep', {}, ({ view }) => view.grep(unit, { literal: true }));
        const at = text.indexOf(unit);
        const lineFeed = text.indexOf('\n', at);
        oracle.read(text.lastIndexOf('\n', at) + 1, lineFeed === -1 ? text.length : lineFeed + 1);
        isAnyKnown = true;
        break;
      }
      case 'edit':
      case 'sed': {
        const from = Math.floor(step.at * text.length);
        const to = Math.min(text.length, from + step.length);
        const old = text.slice(from, to);
        if (old === '' || text.indexOf(old) !== text.lastIndexOf(old)) break;
        const put = {
          replace: oracle.fresh(3),
          remove: '',
          before: `${oracle.fresh(2)}${old}`,
          after: `${old}${oracle.fresh(2)}`,
          lines: `${oracle.fresh(2)}\n${oracle.fresh(2)}`,
        }[step.how];
        const after = text.slice(0, from) + put + text.slice(to);
        const isAllowed = await change(step.kind, (view) =>
          step.kind === 'edit' ? view.edit(name, [{ oldText: old, newText: put }]) : view.write(name, after),
        );
        // What is put in front of a line that is not known changes that line.
        const isInFront = step.how === 'after' && old.endsWith('\n') && !oracle.isKnown(to, to + 1);
        if (isAnyKnown && oracle.isKnown(from, to) && !isInFront) expect(isAllowed).toBe(true);
        if (!isAnyKnown || oracle.loses(after)) expect(isAllowed).toBe(false);
        if (!isAllowed) break;
        // Of an addition, what it is beside stays as known as it was.
        const keptBefore = step.how === 'after' ? old.length : 0;
        const keptAfter = step.how === 'before' ? old.length : 0;
        oracle.replace(from + keptBefore, to - keptAfter, put.slice(keptBefore, put.length - keptAfter));
        break;
      }
      case 'append': {
        const more = `${oracle.fresh(2)}\n`;
        expect(await change('other', (view) => view.write(name, more, { mode: 'append' }))).toBe(isAnyKnown);
        if (isAnyKnown) oracle.replace(text.length, text.length, more);
        break;
      }
      case 'write':
      case 'keep': {
        const kept = step.kind === 'keep' ? text.slice(0, Math.floor(step.at * text.length)) : '';
        const after = `${kept}${oracle.fresh(4)}\n`;
        const isAllowed = await change('write_file', (view) => view.write(name, after));
        const isRestKnown = oracle.isKnown(kept.length, text.length);
        if (isAnyKnown && isRestKnown) expect(isAllowed).toBe(true);
        if (!isAnyKnown || oracle.loses(after)) expect(isAllowed).toBe(false);
        if (isAllowed) oracle.replace(kept.length, text.length, after.slice(kept.length));
        // A line feed may be one that stays, as little known as it was.
        if (isAllowed && !isRestKnown) oracle.known[after.length - 1] = false;
        break;
      }
      case 'outside': {
        const after = `${oracle.fresh(1)}${text}`;
        await files.write(name, after);
        oracle.text = after;
        oracle.known = Array.from(after, () => false);
        isAnyKnown = false;
        break;
      }
      case 'move': {
        const to = `${name}-`;
        expect(await change('mv', (view) => view.move(name, to))).toBe(true);
        name = to;
      }
    }
  }
}
