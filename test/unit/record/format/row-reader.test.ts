import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Row } from 'weakincentives/record';
import { assertRow, isKnownType, RowReader } from '../../../../src/record/format/row-reader.ts';

const golden = (file: string): readonly string[] =>
  readFileSync(new URL(`../../../fixtures/golden/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
const [header = ''] = golden('record.jsonl');

/** A reader that has read the header of a record. */
function begun(): RowReader {
  const reader = new RowReader();
  reader.read(header);
  return reader;
}

describe('a reader of rows', () => {
  it('reads a row, and counts every line', () => {
    const reader = begun();
    expect(reader.read('{"type":"begin","t":1,"turn":2,"callId":"c","toolName":"x","attempt":1}')).toEqual({
      type: 'begin',
      t: 1,
      turn: 2,
      callId: 'c',
      toolName: 'x',
      attempt: 1,
    });
    expect(reader.read('  ')).toBeUndefined();
    expect(reader.lines).toBe(3);
    expect(reader.tornLine).toBe(undefined);
  });

  it('puts texts in the place of references, and knows every blob', () => {
    const reader = begun();
    expect(reader.read('{"type":"blob","hash":"h1","text":"long"}')).toBeUndefined();
    expect(reader.read('{"type":"blob","hash":"h2","base64":"AA=="}')).toBeUndefined();
    const row = '{"type":"event","t":1,"event":{"type":"x","text":{"$ref":"h1"},"data":{"$$ref":"h1"}}}';
    expect(reader.read(row)).toMatchObject({ event: { text: 'long', data: { $ref: 'h1' } } });
    expect(reader.blob('h1')).toEqual({ type: 'blob', hash: 'h1', text: 'long' });
    expect(reader.blob('h2')).toEqual({ type: 'blob', hash: 'h2', base64: 'AA==' });
    expect(reader.blob('h3')).toBeUndefined();
    expect([...reader.blobs.keys()]).toEqual(['h1', 'h2']);
  });

  it('names a type that it does not know, and reads on', () => {
    const reader = begun();
    expect(reader.read('{"type":"later","anything":[]}')).toEqual({ type: 'unknown', name: 'later' });
    expect(reader.read('{"type":"toString"}')).toEqual({ type: 'unknown', name: 'toString' });
  });

  it('takes a torn line for the last one, and refuses another after it with the number of the torn one', () => {
    const reader = begun();
    expect(reader.read('{"type":"eve')).toBeUndefined();
    expect(reader.tornLine).toBeGreaterThan(0);
    expect(() => reader.read('{"type":"later"}')).toThrow(
      expect.objectContaining({
        code: 'record-malformed',
        details: { line: 2 },
        cause: expect.any(SyntaxError),
      }),
    );
  });

  it('takes a mark of the order of bytes in the first line only', () => {
    expect(new RowReader().read(`\uFEFF${header}`)).toMatchObject({ type: 'header', runId: 'run' });
    const reader = begun();
    reader.read('\uFEFF{"type":"later"}');
    expect(reader.tornLine).toBeGreaterThan(0);
  });

  it.each([
    ['another header', header, 'a record has one header'],
    ['a list', '[1]', 'it is not an object with a type'],
    ['a row without a type', '{"t":1}', 'it is not an object with a type'],
    ['a type that is no text', '{"type":1}', 'it is not an object with a type'],
    ['a blob without a hash', '{"type":"blob","text":"x"}', 'its blob has no hash'],
    ['a blob without a content', '{"type":"blob","hash":"x"}', 'its blob has neither text nor base64'],
    ['a row without a member', '{"type":"input","t":1,"turn":1}', 'its input has no items of the right kind'],
  ])('refuses %s', (_what, line, message) => {
    expect(() => begun().read(line)).toThrow(
      expect.objectContaining({
        code: 'record-malformed',
        message: `Line 2 is not a row of a record: ${message}.`,
      }),
    );
  });

  it('refuses a reference that no line before holds', () => {
    const line = '{"type":"event","t":1,"event":{"type":"x","text":{"$ref":"h1"}}}';
    expect(() => begun().read(line)).toThrow(
      expect.objectContaining({ code: 'record-blob-missing', details: { line: 2, hash: 'h1' } }),
    );
  });

  it.each([
    ['another version', header.replace('wink-run/1', 'wink-run/2'), 'wink-run/2'],
    ['no version', header.replace('"version":"wink-run/1",', ''), null],
  ])('refuses %s', (_what, line, version) => {
    expect(() => new RowReader().read(line)).toThrow(
      expect.objectContaining({ code: 'record-version-unsupported', details: { version } }),
    );
  });

  const rowsWithPaths: readonly (readonly [place: string, row: (path: string) => object])[] = [
    ['path', (path) => ({ type: 'seen', t: 1, path, found: 'absent' })],
    ['reads[0].path', (path) => attemptRow({ reads: [{ kind: 'file', what: 'file', path }] })],
    ...(['path', 'from', 'removedWith'] as const).map(
      (member) =>
        [
          `files[0].${member}`,
          (path: string) =>
            attemptRow({ files: [{ path: 'a.md', kind: 'created', entry: 'file', [member]: path }] }),
        ] as const,
    ),
  ];

  it.each([
    '../a.md',
    '/etc/passwd',
    'a/../../b',
    'a//b',
    './a',
    'a/',
    'a/./b',
    '',
    'a\\b',
    'a\u0000',
    'a\ud800',
    'x'.repeat(256),
    'a/'.repeat(64) + 'a',
  ])('refuses the path %j wherever a row has one', (path) => {
    for (const [place, row] of rowsWithPaths) {
      const line = JSON.stringify(row(path));
      expect(() => begun().read(line)).toThrow(`has no ${place} of the right kind`);
      expect(begun().read(JSON.stringify(row('a/b.md')))).toMatchObject({ t: 1 });
    }
  });

  it('takes paths of a redacted row as the redaction left them, unless they leave the root', () => {
    for (const [place, row] of rowsWithPaths) {
      const redacted = (path: string): string => JSON.stringify({ ...row(path), redacted: true });
      for (const path of ['', 'a//b', '/a', 'a/'])
        expect(begun().read(redacted(path))).toMatchObject({ t: 1 });
      for (const path of ['../a', 'a/../..', 'a\\b', 'a\u0000'])
        expect(() => begun().read(redacted(path))).toThrow(`has no ${place} of the right kind`);
    }
  });

  it.each([
    ['turn', -1],
    ['turn', 0.5],
    ['turn', 1e300],
    ['attempt', -1],
    ['base', -1],
    ['run', -1],
    ['t', '1e999'],
  ])('refuses %s as %s', (member, value) => {
    const row = JSON.stringify(attemptRow({ [member]: value })).replace('"1e999"', '1e999');
    expect(() => begun().read(row)).toThrow(`its attempt has no ${member} of the right kind`);
  });

  it('takes times before the start, which a clock that was set back makes, and words of later versions', () => {
    const row = attemptRow({ t: -5, why: 'teleported' });
    expect(begun().read(JSON.stringify(row))).toEqual(row);
  });

  it('refuses another row before the header', () => {
    expect(() => new RowReader().read('{"type":"later"}')).toThrow('a record begins with a header');
  });
});

/** An attempt with nothing in it but these members. */
function attemptRow(more: object): object {
  const phases = { requestedAtMs: 1, settledAtMs: 1, approvals: [] };
  const call = { turn: 1, callId: 'c', toolName: 'x', attempt: 1, phases, why: 'failed', conflicts: [] };
  return {
    type: 'attempt',
    t: 1,
    ...call,
    policies: [],
    reads: [],
    writes: [],
    log: [],
    events: [],
    files: [],
    ...more,
  };
}

/** The members that a reader needs in each kind of row; every other one may be absent. */
const needed: Readonly<Record<Row['type'], string>> = {
  header:
    'version runId sessionId startedAtMs evaluationId promptName prompt adapter model settings tools toolsHash policies',
  blob: 'hash',
  run: 'run t parent evaluationId promptName prompt adapter model settings tools toolsHash policies',
  slice: 'name policy isKeyed',
  state: 't kind writes log',
  seen: 't path found',
  request: 't turn instructions tools settings edits length tokens',
  response: 't turn durationMs',
  commit: 't turn callId toolName attempt phases policies reads writes log events files result',
  attempt: 't turn callId toolName attempt phases policies reads writes log events files why conflicts',
  delivered: 't turn callId',
  begin: 't turn callId toolName attempt',
  pending: 't questions',
  question: 't question',
  answer: 't id digest approved atMs',
  cancelled: 't atMs',
  resumed: 't atMs turn changed',
  input: 't turn items',
  life: 't atMs kind',
  event: 't event',
  end: 't outcome turns usage',
};

/** The place where something is missing in a row, or of the wrong kind. */
function findFault(row: unknown, type: Row['type']): string | undefined {
  let found: string | undefined;
  try {
    assertRow(row, type, (fault) => {
      found = fault;
      return new Error(fault);
    });
  } catch {
    return found;
  }
  return undefined;
}

describe('the shape of a row', () => {
  const rows: Readonly<Record<string, unknown>>[] = [];
  let reader = new RowReader();
  for (const line of golden('journal.txt')) {
    if (line.startsWith('{')) {
      reader = new RowReader();
      continue;
    }
    const text = line.slice(line.indexOf('{'));
    // What a blob holds is not read as a row.
    const row: unknown = reader.read(text) ?? JSON.parse(text);
    rows.push(row as Readonly<Record<string, unknown>>);
  }

  it.each(Object.entries(needed))('%s has what readers rely on', (type, members) => {
    if (!isKnownType(type)) throw new Error(`${type} is unknown.`);
    const samples = rows.filter((row) => row['type'] === type);
    expect(samples.length).toBeGreaterThan(0);
    for (const row of samples) {
      expect(findFault(row, type)).toBeUndefined();
      const missing = Object.keys(row).filter((name) => {
        const { [name]: _left, ...rest } = row;
        return findFault(rest, type) !== undefined;
      });
      expect(missing.toSorted()).toEqual(members.split(' ').toSorted());
      for (const name of missing) expect(findFault({ ...row, [name]: null }, type)).toBe(name);
    }
  });

  it.each([
    [{ reads: [{ kind: 'file' }] }, 'reads[0].what'],
    [{ writes: [{ op: 'put', slice: 's', key: 'k' }] }, 'writes[0].item'],
    [{ writes: [{ op: 'other', slice: 's' }] }, 'writes[0]'],
    [{ writes: [{ slice: 's' }] }, 'writes[0]'],
    [
      { files: [{ path: 'a', kind: 'created', entry: 'file', after: { hash: 'h' } }] },
      'files[0].after.bytes',
    ],
    [
      { result: { outcome: 'committed', message: '', modelText: '', approvals: [{}] } },
      'result.approvals[0].policy',
    ],
    [{ events: [{ name: 'e', policy: 'none' }] }, 'events[0].payload'],
  ])('names the place of what is wrong: %j', (other, place) => {
    const commit = rows.find((row) => row['type'] === 'commit');
    expect(findFault({ ...commit, ...other }, 'commit')).toBe(place);
  });
});
