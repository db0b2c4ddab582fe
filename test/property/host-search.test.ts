import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, it } from 'vitest';
import { type Filesystem, MemoryFilesystem } from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { compileGlob, type GrepResult } from '../../src/core/filesystem/index.ts';
import { draws } from '../support/draws.ts';
import { testFolders } from '../unit/host/host-filesystem/host-workspace.ts';

const piece = fc.constantFrom(
  ...[
    'a',
    'ab',
    'foo',
    'Foo',
    'bar',
    'k',
    'K',
    '\u212a',
    's',
    'S',
    '\u017f',
    'ß',
    'é',
    'e\u0301',
    '😀',
    '\ufeff',
    '\ufffd',
  ],
  ...[' ', '.', '\n', '\r\n', '\r', '\u2028', '1'],
);
const filler = `${'x'.repeat(99)}\n`;
const bytes = fc.oneof(
  { weight: 8, arbitrary: fc.array(piece, { maxLength: 14 }).map((parts) => Buffer.from(parts.join(''))) },
  // A byte order mark, bytes that are not UTF-8, and those that make a file binary where it begins or later.
  ...[
    (text: Buffer) => Buffer.concat([Buffer.from('\ufeff'), text]),
    (text: Buffer) => Buffer.concat([text, Buffer.from([0xff])]),
    (text: Buffer) => Buffer.concat([text, Buffer.from([0xed, 0xa0, 0x80])]),
    (text: Buffer) => Buffer.concat([text, Buffer.from([0])]),
    (text: Buffer) => Buffer.concat([Buffer.alloc(8192, filler), text, Buffer.from([0])]),
    (text: Buffer) => Buffer.concat([Buffer.alloc(70_000, filler), text]),
    (text: Buffer) => text.subarray(0, Math.max(0, text.length - 1)),
  ].map((change) => ({
    weight: 1,
    arbitrary: fc.array(piece, { maxLength: 8 }).map((parts) => change(Buffer.from(parts.join('')))),
  })),
);
const name = fc.constantFrom('a', 'b', 'a.md', 'b.ts', '.hidden', 'é', '\ufeffm', 'c\ufffd');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));

const atom = fc.constantFrom(
  ...[
    'a',
    'foo',
    'bar',
    'k',
    's',
    'ß',
    'é',
    '😀',
    '\u212a',
    '\ufeff',
    '\ufffd',
    '\\x66oo',
    '\\Qa.\\E',
    '.',
    '[fb]',
    '[^a]',
    '\\w',
    '\\pL',
  ],
  ...[
    '^',
    '$',
    '\\b',
    '\\n',
    '\\r',
    '(?i:foo)',
    '(?i)s',
    '(foo|bar)',
    '(?:foo|)',
    '(?:foo){0}',
    '(?:foo){0,2}',
    '(?:a){2}',
    '(?:foo)?',
  ],
);
const pattern = fc.oneof(
  fc.array(atom, { minLength: 1, maxLength: 3 }).map((atoms) => atoms.join('')),
  fc.tuple(atom, atom).map(([left, right]) => `${left}|${right}`),
);

/** The text of a file as it is defined: NUL in the first 8 KB or what is not UTF-8 makes it binary. */
function textOf(data: Buffer): string | undefined {
  if (data.subarray(0, 8192).includes(0)) return undefined;
  const text = data.toString();
  return Buffer.from(text).equals(data) ? text : undefined;
}

/** Searches every line of every file, one after the other. */
function plainGrep(files: ReadonlyMap<string, Buffer>, expression: RE2JS, source: string): GrepResult {
  const matches: GrepResult['matches'][number][] = [];
  let skippedBinary = 0;
  for (const file of [...files.keys()].toSorted()) {
    const text = textOf(files.get(file) ?? Buffer.alloc(0));
    if (text === undefined) {
      skippedBinary += 1;
      continue;
    }
    const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
    const lines = text.slice(mark.length).split('\n');
    if (lines.at(-1) === '') lines.pop();
    for (const [index, given] of lines.entries()) {
      const line = given.endsWith('\r') ? given.slice(0, -1) : given;
      const isFound =
        expression.test(line) || (index === 0 && source.includes('\ufeff') && expression.test(mark + line));
      if (isFound) matches.push({ path: file, line: index + 1, text: line });
    }
  }
  return { matches, truncated: false, skippedBinary };
}

it('a search of a folder finds what reading every file finds, whatever is in it and whatever a call has changed', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(path, bytes, { maxKeys: 10, noNullPrototype: true }),
      fc.array(fc.tuple(fc.constantFrom('write', 'remove', 'move'), path, path, bytes), { maxLength: 4 }),
      fc.array(pattern, { minLength: 1, maxLength: 6 }),
      fc.constantFrom('**', '*', '**/*.md', 'a/**', '*/*', '{a,b}/**'),
      fc.boolean(),
      fc.boolean(),
      async (wanted, changes, patterns, glob, isOld, ignoreCase) => {
        let remove = (): void => undefined;
        const { root, stateDirectory } = testFolders({}, (then) => {
          remove = then;
        });
        const files = new Map<string, Buffer>();
        for (const [file, data] of Object.entries(wanted)) {
          const isTaken = [...files.keys()].some(
            (other) => other.startsWith(`${file}/`) || file.startsWith(`${other}/`),
          );
          if (isTaken) continue;
          mkdirSync(dirname(join(root, file)), { recursive: true });
          writeFileSync(join(root, file), data);
          files.set(file, data);
        }
        symlinkSync('..', join(root, 'out'));
        symlinkSync('.', join(root, 'round'));
        for (const file of files.keys()) if (isOld) utimesSync(join(root, file), 1, 1);
        // The content of a file that changed just now is remembered, too.
        const clock = { now: () => (isOld ? Date.now() + 60_000 : Date.now()) };
        await using filesystem = await openHostFilesystem({ root, stateDirectory, writeOn: 'never', clock });
        const fork = filesystem.fork();
        const { view } = fork;
        await view.glob('**');
        const memory = new MemoryFilesystem();
        for (const [file, data] of files) await memory.write(file, data);
        for (const [kind, at, to, data] of changes) {
          const change = async (target: Filesystem): Promise<string> => {
            const doing =
              kind === 'write'
                ? target.write(at, data)
                : kind === 'move'
                  ? target.move(at, to)
                  : target.remove(at, { recursive: true });
            return doing.then(
              () => 'done',
              () => 'refused',
            );
          };
          expect(await change(view)).toBe(await change(memory));
        }
        const now = new Map<string, Buffer>();
        for (const file of (await memory.glob('**')).paths)
          now.set(file, Buffer.from(await memory.readBytes(file)));
        const { paths, links } = await view.glob(glob);
        const isLink = (at: string): boolean => at === 'out' || at === 'round';
        expect(paths.filter((at) => !isLink(at))).toEqual(
          [...now.keys()].filter((file) => compileGlob(glob).test(file)).toSorted(),
        );
        expect(links?.['out']).toEqual(paths.includes('out') ? { leads: 'outside' } : undefined);
        for (const source of patterns) {
          const flags = ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
          const expected = plainGrep(now, RE2JS.compile(source, flags), source);
          found += expected.matches.length;
          for (const searched of [view, memory])
            expect(
              await searched.grep(source, { ignoreCase, maxLineLength: 1_000_000, limit: 1_000_000 }),
            ).toEqual(expected);
        }
        fork.dispose();
        remove();
      },
    ),
    { numRuns: draws(300) },
  );
  expect(found).toBeGreaterThan(0);
});
