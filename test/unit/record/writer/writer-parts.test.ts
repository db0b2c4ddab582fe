import { describe, expect, it } from 'vitest';
import type { RunPathStep } from 'weakincentives';
import type { RowOf } from 'weakincentives/record';
import { fileContent } from '../../../../src/core/filesystem/index.ts';
import { lineOf } from '../../../../src/record/format/references.ts';
import { BlobWriter, sha256 } from '../../../../src/record/writer/blob-writer.ts';
import { RequestEstimate, RunNumbers } from '../../../../src/record/writer/plain-rows.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textFile = (text: string) => ({
  bytes: bytesOf(text).byteLength,
  text: () => text,
  data: () => bytesOf(text),
});

function blobs(maxContentBytes = 10): { readonly writer: BlobWriter; readonly rows: RowOf<'blob'>[] } {
  const rows: RowOf<'blob'>[] = [];
  return { writer: new BlobWriter((row) => rows.push(row), maxContentBytes), rows };
}

describe('the writer of blobs', () => {
  it('writes each text once, under the hash of its bytes', () => {
    const { writer, rows } = blobs();
    const hash = writer.keepText('näher');
    expect(hash).toBe(sha256(bytesOf('näher')));
    expect(writer.keepText('näher')).toBe(hash);
    // Far enough back that its hash is made again.
    for (let index = 0; index < 20; index += 1) writer.keepText(`other ${index}`);
    expect(writer.keepText('näher')).toBe(hash);
    expect(rows.filter((row) => row.hash === hash)).toEqual([{ type: 'blob', hash, text: 'näher' }]);
    expect(rows).toHaveLength(21);
  });

  it('does not write what rows before hold', () => {
    const { writer, rows } = blobs();
    writer.known([sha256('known')]);
    expect(writer.keepText('known')).toBe(sha256('known'));
    expect(writer.keepContent(textFile('known'), true)).toEqual({ hash: sha256('known'), bytes: 5 });
    expect(rows).toEqual([]);
  });

  it('keeps a content as text, or as base64 where it is none', () => {
    const { writer, rows } = blobs();
    const data = new Uint8Array([0, 255, 128]);
    expect(writer.keepContent(textFile('text'), true)).toEqual({ hash: sha256('text'), bytes: 4 });
    expect(writer.keepContent({ bytes: 3, text: () => undefined, data: () => data }, true)).toEqual({
      hash: sha256(data),
      bytes: 3,
    });
    expect(rows).toEqual([
      { type: 'blob', hash: sha256('text'), text: 'text' },
      { type: 'blob', hash: sha256(data), base64: 'AP+A' },
    ]);
  });

  it('hashes a content once, by the function it was given', () => {
    const rows: RowOf<'blob'>[] = [];
    const hashed: (string | Uint8Array)[] = [];
    const hash = (data: string | Uint8Array): string => `hash ${hashed.push(data)}`;
    const content = fileContent(bytesOf('text'));
    const writer = new BlobWriter((row) => rows.push(row), 10, hash);
    expect(writer.keepContent(content, false)).toEqual({ hash: 'hash 1', bytes: 4, omitted: true });
    expect(writer.keepContent(content, false)).toEqual({ hash: 'hash 1', bytes: 4, omitted: true });
    expect(writer.keepContent(content, true)).toEqual({ hash: 'hash 1', bytes: 4 });
    expect(writer.keepContent(content, true)).toEqual({ hash: 'hash 1', bytes: 4 });
    expect(hashed).toEqual([bytesOf('text')]);
    expect(rows).toEqual([{ type: 'blob', hash: 'hash 1', text: 'text' }]);
    expect(writer.keepText('more')).toBe('hash 2');
  });

  it('keeps no content that is too large, not wanted, or gone', () => {
    const { writer, rows } = blobs(10);
    const gone = (): never => {
      throw new Error('It is gone.');
    };
    expect(writer.keepContent(textFile('x'.repeat(11)), true)).toEqual({
      hash: '',
      bytes: 11,
      omitted: true,
    });
    expect(writer.keepContent(textFile('x'.repeat(10)), false)).toEqual({
      hash: sha256('x'.repeat(10)),
      bytes: 10,
      omitted: true,
    });
    expect(writer.keepContent({ bytes: 3, text: gone, data: gone }, true)).toEqual({
      hash: '',
      bytes: 3,
      omitted: true,
    });
    expect(rows).toEqual([]);
    writer.keepContent(textFile('x'.repeat(10)), true);
    expect(rows).toHaveLength(1);
  });
});

describe('a row as a line', () => {
  it('has no character that a reader takes for the end of a line', () => {
    const row = { type: 'event', text: 'a\u0085b\u2028c\u2029d\ne' };
    expect(lineOf(row)).toBe('{"type":"event","text":"a\\u0085b\\u2028c\\u2029d\\ne"}');
    expect(JSON.parse(lineOf(row))).toEqual(row);
  });
});

describe('the numbers of evaluations', () => {
  const step = (more: Partial<RunPathStep> = {}): RunPathStep => ({
    turn: 1,
    callId: 'c',
    toolName: 'x',
    attempt: 1,
    evaluation: 1,
    ...more,
  });

  it('count from the root run on, by id and by path', () => {
    const numbers = new RunNumbers();
    const path = [step()];
    expect([numbers.begin('root', []), numbers.begin('inner', path)]).toEqual([0, 1]);
    expect([numbers.of('root'), numbers.of('inner'), numbers.of('none')]).toEqual([0, 1, undefined]);
    const inside = [...path, step({ callId: 'd' })];
    expect([numbers.around(path), numbers.around(inside), numbers.around([...inside, step()])]).toEqual([
      0,
      1,
      undefined,
    ]);
    expect(numbers.begin('again', path)).toBe(2);
    expect(numbers.around(inside)).toBe(2);
  });

  it('continue after those that rows have, which may begin again', () => {
    const numbers = new RunNumbers();
    numbers.begin('root', []);
    numbers.continueWith(
      new Map([
        ['one', 1],
        ['two', 2],
      ]),
    );
    expect(numbers.beginAgain('none', [step()])).toBe(false);
    expect(numbers.beginAgain('two', [step()])).toBe(true);
    expect([numbers.around([step(), step()]), numbers.begin('three', [step({ evaluation: 2 })])]).toEqual([
      2, 3,
    ]);
  });

  it('tell places apart by call, attempt, evaluation and policy', () => {
    const numbers = new RunNumbers();
    numbers.begin('root', []);
    const steps = [{}, { turn: 2 }, { callId: 'd' }, { attempt: 2 }, { evaluation: 2 }, { policy: 'p' }].map(
      step,
    );
    const paths = steps.flatMap((own) => [[own], [step(), own]]);
    for (const [index, path] of paths.entries()) numbers.begin(`inner ${index}`, path);
    const around = paths.map((path) => numbers.around([...path, step()]));
    expect(around).toEqual(paths.map((_path, index) => index + 1));
  });
});

describe('the estimate of tokens', () => {
  const item = (text: string) => ({ type: 'user' as const, content: [{ type: 'text' as const, text }] });
  // A request has more members, which are not counted.
  const request = (edits: object, tools: readonly object[] = []) =>
    ({ instructions: 'x'.repeat(9), tools, edits }) as never;

  it('counts each item once, and takes off what is gone', () => {
    const estimate = new RequestEstimate();
    const size = (text: string): number => Math.ceil(JSON.stringify(item(text)).length / 4);
    const tools = [{ name: 'tool' }];
    expect(
      estimate.next(request([{ at: 0, remove: 0, insert: [item('one'), item('three')] }], tools)),
    ).toEqual({
      instructions: 3,
      tools: Math.ceil(JSON.stringify(tools).length / 4),
      conversation: size('one') + size('three'),
      added: size('one') + size('three'),
    });
    expect(
      estimate.next(request([{ at: 0, remove: 1, insert: [item('a longer one')] }], tools)),
    ).toMatchObject({
      conversation: size('a longer one') + size('three'),
      added: size('a longer one'),
    });
    expect(estimate.next(request([]))).toMatchObject({ added: 0, tools: 1 });
  });
});
