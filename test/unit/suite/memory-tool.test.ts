import { describe, expect, it } from 'vitest';
import { Session } from 'weakincentives';
import type { ScriptedToolCall } from 'weakincentives/testing';
import { createMemoryTool, type MemoryToolOptions } from '../../../src/suite/memory/index.ts';
import { type CallOutcome, runCalls } from '../../support/run-calls.ts';

type Arguments = ScriptedToolCall['arguments'];

interface Given extends MemoryToolOptions {
  readonly session?: Session;
}

const call = (given: Arguments): ScriptedToolCall => ({ name: 'memory', arguments: given });

/** Makes the calls one per turn. */
async function inTurns(calls: readonly Arguments[], { session = new Session(), ...options }: Given = {}) {
  const { tool, files } = createMemoryTool(options);
  const outcome = await runCalls({
    tools: [tool],
    slices: [files],
    turns: calls.map((given) => [call(given)]),
    session,
  });
  return { ...outcome, files: contentsOf(session, files) };
}

function contentsOf(session: Session, files: ReturnType<typeof createMemoryTool>['files']) {
  return Object.fromEntries(
    session
      .slice(files)
      .all()
      .map(({ path, text }) => [path, text]),
  );
}

const lastText = ({ texts }: Pick<CallOutcome, 'texts'>) => texts.at(-1) ?? '';

const create = (path: string, text = ''): Arguments => ({ command: 'create', path, file_text: text });
const view = (path: string, range?: readonly number[]): Arguments =>
  range === undefined ? { command: 'view', path } : { command: 'view', path, view_range: [...range] };

/** The text of a refused call on a memory with these files, after which they are the same. */
async function refusal(
  given: Arguments,
  seed: MemoryToolOptions['seed'] = {},
  options: Given = {},
): Promise<string> {
  const { texts, invocations, files } = await inTurns([given], { seed, ...options });
  expect(invocations[0]?.success).toBe(false);
  expect(files).toEqual(
    Object.fromEntries(Object.entries(seed).map(([path, text]) => [`/memories/${path}`, text])),
  );
  return texts.join('\n');
}

describe('create', () => {
  it('makes a file and the folders on its path, and says how large it is', async () => {
    const outcome = await inTurns([create('/memories/a/ü.md', 'grüße\n'), view('/memories')]);
    expect(outcome.texts[0]).toBe('Created "/memories/a/ü.md": 8 bytes.');
    expect(outcome.files).toEqual({ '/memories/a/ü.md': 'grüße\n' });
    expect(lastText(outcome)).toBe(
      'Files and directories up to two levels deep in /memories, with their sizes:\n\n8B\t/memories/\n8B\t/memories/a/\n8B\t/memories/a/ü.md',
    );
  });

  it('takes an empty text', async () => {
    expect((await inTurns([create('/memories/a')])).files).toEqual({ '/memories/a': '' });
  });

  it.each<[string, string, RegExp]>([
    [
      'an existing file',
      '/memories/a',
      /^"\/memories\/a" exists already, as a file\. Change it with str_replace/,
    ],
    ['an existing folder', '/memories/d', /exists already, as a directory\. Choose another path/],
    ['the root', '/memories', /exists already, as a directory/],
    [
      'a path through a file',
      '/memories/a/b/c',
      /^"\/memories\/a" is a file, so that nothing can be below it/,
    ],
  ])('refuses %s', async (_what, path, message) => {
    expect(await refusal(create(path, 'x'), { a: '1', 'd/e': '2' })).toMatch(message);
  });
});

describe('view', () => {
  it('shows a file with numbers six wide and a tab', async () => {
    const outcome = await inTurns([view('/memories/a')], { seed: { a: 'one\n\n\tthree' } });
    expect(lastText(outcome)).toBe(
      '/memories/a, lines 1 to 3 of 3, each with its number and a tab, which are not part of it.\n\n     1\tone\n     2\t\n     3\t\tthree',
    );
  });

  it.each<[string, readonly number[], string]>([
    ['of lines', [2, 3], '     2\tb\n     3\tc'],
    ['to the end', [3, -1], '     3\tc\n     4\td'],
    ['beyond the end', [4, 99], '     4\td'],
    ['of one line', [1, 1], '     1\ta'],
  ])('shows a range %s', async (_what, range, shown) => {
    const outcome = await inTurns([view('/memories/a', range)], { seed: { a: 'a\nb\nc\nd\n' } });
    expect(lastText(outcome).split('\n\n')[1]).toBe(shown);
  });

  it.each<[string, readonly number[], RegExp]>([
    ['line 0', [0, 1], /view_range is \[0, 1\]\. Give the numbers/],
    ['a range backwards', [3, 2], /view_range is \[3, 2\]/],
    ['one number', [3], /view_range is \[3\]/],
    ['a range after the end', [5, -1], /has 4 lines; view_range begins at line 5/],
  ])('refuses %s', async (_what, range, message) => {
    expect(await refusal(view('/memories/a', range), { a: 'a\nb\nc\nd\n' })).toMatch(message);
  });

  it('shows two levels of a folder with sizes, and neither hidden files nor what is deeper', async () => {
    const seed = { 'b.md': 'x'.repeat(2048), 'a/1': 'x', 'a/2/deep': 'xyz', '.secret': '1', 'a/.git/x': '2' };
    const outcome = await inTurns([view('/memories/'), view('/memories/a/2'), view('/memories/.secret')], {
      seed,
    });
    expect(outcome.texts).toEqual([
      [
        'Files and directories up to two levels deep in /memories, with their sizes:',
        '(2 files with hidden names not listed)\n',
        '2.0K\t/memories/',
        '4B\t/memories/a/',
        '1B\t/memories/a/1',
        '3B\t/memories/a/2/',
        '2.0K\t/memories/b.md',
      ].join('\n'),
      'Files and directories up to two levels deep in /memories/a/2, with their sizes:\n\n3B\t/memories/a/2/\n3B\t/memories/a/2/deep',
      '/memories/.secret, lines 1 to 1 of 1, each with its number and a tab, which are not part of it.\n\n     1\t1',
    ]);
  });

  it('shows an empty memory and an empty file', async () => {
    const outcome = await inTurns([view('/memories'), create('/memories/a'), view('/memories/a')]);
    expect(outcome.texts[0]).toBe('/memories is empty.\n\n0B\t/memories/');
    expect(lastText(outcome)).toBe('/memories/a is empty.');
  });

  it('shows as much of a long file as a result may hold, and says how to continue', async () => {
    const line = 'x'.repeat(999);
    const text = `${line}\n`.repeat(120);
    const outcome = await inTurns([view('/memories/a'), view('/memories/a', [51, 110])], {
      seed: { a: text },
    });
    expect(outcome.texts[0]).toContain('lines 1 to 50 of 120');
    expect(outcome.texts[0]).toContain('70 more lines: continue with view_range [51, -1].');
    expect(outcome.texts[1]).toContain('lines 51 to 100 of 120');
    expect(outcome.texts[1]).toContain('10 more lines: continue with view_range [101, 110].');
  });

  it('refuses a path where nothing is, and a range of a folder', async () => {
    expect(await refusal(view('/memories/x'))).toBe(
      '"/memories/x" does not exist. View "/memories" to see which files there are.',
    );
    expect(await refusal(view('/memories', [1, 2]))).toContain('view_range is for files');
  });
});

const replace = (path: string, oldText: string, newText: string): Arguments => ({
  command: 'str_replace',
  path,
  old_str: oldText,
  new_str: newText,
});

describe('str_replace', () => {
  it('replaces what occurs once, keeps the line ends and the rest', async () => {
    const seed = { a: '\u{feff}one\r\ntwo\r\nthree\r\n' };
    const outcome = await inTurns([replace('/memories/a', 'two\n', 'zwei\nund\n')], { seed });
    expect(outcome.files).toEqual({ '/memories/a': '\u{feff}one\r\nzwei\r\nund\r\nthree\r\n' });
    expect(lastText(outcome)).toBe('Changed "/memories/a": 26 bytes.');
  });

  it('deletes with an empty text', async () => {
    expect((await inTurns([replace('/memories/a', 'two', '')], { seed: { a: 'one two' } })).files).toEqual({
      '/memories/a': 'one ',
    });
  });

  it.each<[string, Arguments, RegExp]>([
    [
      'a text that is not there',
      replace('/memories/a', 'zzz', 'y'),
      /^"\/memories\/a" was not changed: old_str does not/,
    ],
    [
      'a text that is there twice',
      replace('/memories/a', 'x', 'y'),
      /old_str occurs 2 times in it \(lines 1, 2\)/,
    ],
    ['an empty text', replace('/memories/a', '', 'y'), /old_str is empty/],
    ['the same text', replace('/memories/a', 'b', 'b'), /old_str and new_str are the same/],
    ['a missing file', replace('/memories/z', 'b', 'c'), /"\/memories\/z" does not exist/],
    ['a folder', replace('/memories/d', 'b', 'c'), /"\/memories\/d" is a directory/],
    ['the root', replace('/memories', 'b', 'c'), /"\/memories" is a directory/],
  ])('refuses %s', async (_what, given, message) => {
    expect(await refusal(given, { a: 'x b\nx', 'd/e': '' })).toMatch(message);
  });
});

const insert = (line: number, text: string): Arguments => ({
  command: 'insert',
  path: '/memories/a',
  insert_line: line,
  insert_text: text,
});

describe('insert', () => {
  it.each<[string, string, number, string, string]>([
    ['at the start', 'a\nb\n', 0, 'x', 'x\na\nb\n'],
    ['in the middle', 'a\nb\n', 1, 'x\ny\n', 'a\nx\ny\nb\n'],
    ['at the end', 'a\nb\n', 2, 'x', 'a\nb\nx\n'],
    ['at the end without a final newline', 'a\nb', 2, 'x', 'a\nb\nx'],
    ['at the end with a final newline of its own', 'a\nb', 2, 'x\n', 'a\nb\nx\n'],
    ['an empty line', 'a\nb', 1, '', 'a\n\nb'],
    ['into an empty file', '', 0, 'x', 'x'],
    ['with the line ends of the file', 'a\r\nb\r\n', 1, 'x\ny', 'a\r\nx\r\ny\r\nb\r\n'],
    ['behind a byte order mark', '\u{feff}a', 0, 'x', '\u{feff}x\na'],
  ])('puts lines %s', async (_what, before, line, given, after) => {
    expect((await inTurns([insert(line, given)], { seed: { a: before } })).files).toEqual({
      '/memories/a': after,
    });
  });

  it.each([-1, 3])('refuses line %s of two', async (line) => {
    expect(await refusal(insert(line, 'x'), { a: 'a\nb\n' })).toBe(
      `"/memories/a" was not changed: insert_line is ${line}, and the file has 2 lines. Give 0 for its start, or the number of the line to insert after.`,
    );
  });
});

describe('delete and rename', () => {
  const seed = { a: '1', 'd/b': '2', 'd/e/c': '3', d2: '4' };

  it('delete a file, and a folder with all it holds', async () => {
    const outcome = await inTurns(
      [
        { command: 'delete', path: '/memories/a' },
        { command: 'delete', path: '/memories/d/' },
      ],
      { seed },
    );
    expect(outcome.texts).toEqual(['Deleted "/memories/a" (1 file).', 'Deleted "/memories/d" (2 files).']);
    expect(outcome.files).toEqual({ '/memories/d2': '4' });
  });

  it('rename a file, and a folder with all it holds', async () => {
    const outcome = await inTurns(
      [
        { command: 'rename', old_path: '/memories/d', new_path: '/memories/x/y' },
        { command: 'rename', old_path: '/memories/a', new_path: '/memories/x/a' },
      ],
      { seed },
    );
    expect(outcome.texts).toEqual([
      'Renamed "/memories/d" to "/memories/x/y" (2 files).',
      'Renamed "/memories/a" to "/memories/x/a" (1 file).',
    ]);
    expect(outcome.files).toEqual({
      '/memories/x/y/b': '2',
      '/memories/x/y/e/c': '3',
      '/memories/d2': '4',
      '/memories/x/a': '1',
    });
  });

  it.each<[string, Arguments, RegExp]>([
    [
      'to delete the root',
      { command: 'delete', path: '/memories/' },
      /is the whole memory and cannot be deleted/,
    ],
    [
      'to delete what is not there',
      { command: 'delete', path: '/memories/z' },
      /"\/memories\/z" does not exist/,
    ],
    [
      'to rename the root',
      { command: 'rename', old_path: '/memories', new_path: '/memories/z' },
      /cannot be renamed/,
    ],
    [
      'a target that is a file',
      { command: 'rename', old_path: '/memories/d', new_path: '/memories/a' },
      /"\/memories\/a" exists already, as a file/,
    ],
    [
      'a target that is a folder',
      { command: 'rename', old_path: '/memories/a', new_path: '/memories/d' },
      /"\/memories\/d" exists already, as a directory/,
    ],
    [
      'the same path',
      { command: 'rename', old_path: '/memories/a', new_path: '/memories/./a' },
      /"\/memories\/a" exists already/,
    ],
    [
      'a target in itself',
      { command: 'rename', old_path: '/memories/d', new_path: '/memories/d/x' },
      /cannot be moved into itself: "\/memories\/d\/x" is in it/,
    ],
    [
      'a target below a file',
      { command: 'rename', old_path: '/memories/d', new_path: '/memories/a/x' },
      /"\/memories\/a" is a file/,
    ],
    [
      'what is not there',
      { command: 'rename', old_path: '/memories/z', new_path: '/memories/y' },
      /"\/memories\/z" does not exist/,
    ],
    [
      'a path that gets too long for a file in the folder',
      { command: 'rename', old_path: '/memories/d', new_path: `/memories/${'n/'.repeat(60)}x/y` },
      /has more than 64 segments/,
    ],
  ])('refuse %s', async (_what, given, message) => {
    expect(await refusal(given, seed)).toMatch(message);
  });
});

describe('paths', () => {
  it.each(['/memories/a', '//memories///a', '/memories/./a', '/memories/a/'])(
    '%s is one file',
    async (path) => {
      expect((await inTurns([create(path, 'x')])).files).toEqual({ '/memories/a': 'x' });
    },
  );

  it('are exact in letter case and composition', async () => {
    const paths = [
      '/memories/A',
      '/memories/a',
      '/memories/\u{e9}',
      '/memories/e\u{301}',
      '/memories/%41',
      '/memories/a b',
    ];
    expect(Object.keys((await inTurns(paths.map((path) => create(path)))).files)).toEqual(paths);
  });

  it.each<[string, RegExp]>([
    ['notes.md', /^"notes\.md" is not in the memory: each path begins with "\/memories\/"/],
    ['memories/a', /is not in the memory/],
    ['', /is not in the memory/],
    ['/', /is not in the memory/],
    ['/etc/passwd', /is not in the memory/],
    ['/memoriesx/a', /is not in the memory/],
    ['/Memories/a', /is not in the memory/],
    ['/memories/../etc/passwd', /has "\.\." in it/],
    ['/memories/a/../b', /has "\.\." in it/],
    ['/memories/..', /has "\.\." in it/],
    ['/memories/%2e%2e/x', /percent-encoded/],
    ['/memories/..%2Fx', /percent-encoded/],
    ['/memories/a%5Cb', /percent-encoded/],
    ['/memories/a%00', /percent-encoded/],
    ['/memories/a\\..\\b', /backslash/],
    ['/memories/a\0', /control characters/],
    ['/memories/a\nb', /control characters/],
    ['/memories/\u{202e}gpj', /others that are not visible/],
    ['/memories/a\u{200b}', /others that are not visible/],
    [`/memories/${'a/'.repeat(70)}b`, /more than 64 segments/],
    [`/memories/${'a'.repeat(256)}`, /more than 255 bytes/],
    [`/memories/${'a'.repeat(1100)}`, /longer than 1,024 characters/],
  ])('refuses %j', async (path, message) => {
    const commands: readonly Arguments[] = [
      create(path, 'x'),
      view(path),
      replace(path, 'a', 'b'),
      { command: 'insert', path, insert_line: 0, insert_text: 'x' },
      { command: 'delete', path },
      { command: 'rename', old_path: path, new_path: '/memories/new' },
      { command: 'rename', old_path: '/memories/kept', new_path: path },
    ];
    for (const given of commands) {
      const text = await refusal(given, { kept: 'a' });
      expect(text).toMatch(message);
      expect(text.length).toBeLessThan(400);
    }
  });
});

describe('arguments', () => {
  it.each<[Arguments, string]>([
    [{ command: 'view' }, 'view lacks path. It takes path and view_range. Nothing was changed.'],
    [{ command: 'create', path: '/memories/a' }, 'create lacks file_text. It takes path and file_text.'],
    [
      { command: 'str_replace', path: '/memories/a', old_str: 'a' },
      'str_replace lacks new_str. It takes path, old_str and new_str.',
    ],
    [{ command: 'insert', path: '/memories/a' }, 'insert lacks insert_line and insert_text.'],
    [{ command: 'delete' }, 'delete lacks path. It takes path.'],
    [
      { command: 'rename', path: '/memories/a' },
      'rename lacks old_path and new_path. It takes old_path and new_path.',
    ],
    [
      { command: 'view', path: '/memories', file_text: 'x' },
      'view does not take file_text. It takes path and view_range.',
    ],
    [
      { command: 'create', path: '/memories/a', file_text: 'x', insert_line: 2, old_str: 'y' },
      'create does not take insert_line and old_str.',
    ],
    [
      { command: 'insert', path: '/memories/kept', insert_line: 0, insert_text: 'x', new_str: 'y' },
      'insert does not take new_str.',
    ],
  ])('%j are refused with what the command takes', async (given, message) => {
    expect(await refusal(given, { kept: 'a' })).toContain(message);
  });

  it('of other commands may be empty, as models send them that give every argument', async () => {
    const rest = {
      view_range: [],
      old_str: '',
      new_str: '',
      insert_line: 0,
      insert_text: '',
      old_path: '',
      new_path: '',
    };
    const outcome = await inTurns([{ ...rest, command: 'create', path: '/memories/a', file_text: 'x' }]);
    expect(outcome.files).toEqual({ '/memories/a': 'x' });
  });

  it('of insert may have the name that the text has in str_replace', async () => {
    const given = { command: 'insert', path: '/memories/a', insert_line: 1, new_str: 'y' };
    expect((await inTurns([given], { seed: { a: 'x\n' } })).files).toEqual({ '/memories/a': 'x\ny\n' });
  });

  it('are refused when no command has them, or the command is unknown', async () => {
    const texts = await Promise.all([
      refusal({ command: 'view', path: '/memories', recursive: true }),
      refusal({ command: 'undo_edit', path: '/memories' }),
    ]);
    expect(texts[0]).toContain('recursive');
    expect(texts[1]).toContain('command');
  });
});

describe('limits', () => {
  const limits = { maxBytes: 10, maxFiles: 2 };

  it('refuse what would break one, with the numbers', async () => {
    const seed = { a: '12345', b: '123' };
    expect(await refusal(replace('/memories/a', '5', '5678'), seed, limits)).toBe(
      'The memory would have 11 bytes; it may have 10. Nothing was changed. Write less, or delete what is no longer needed.',
    );
    expect(await refusal(create('/memories/c', ''), seed, limits)).toContain(
      'would have 3 files; it may have 2',
    );
    expect((await inTurns([replace('/memories/a', '5', '567')], { seed, ...limits })).files).toMatchObject({
      '/memories/a': '1234567',
    });
  });

  it('let a memory shrink, or move, that is over them, as one that was imported can be', async () => {
    const session = new Session();
    const { files } = createMemoryTool({ maxBytes: 100 });
    session.install(files);
    for (const path of ['/memories/a', '/memories/b', '/memories/c'])
      session.slice(files).append({ path, text: '123456', bytes: 6 });
    const outcome = await inTurns(
      [
        { command: 'rename', old_path: '/memories/a', new_path: '/memories/d' },
        replace('/memories/b', '6', ''),
        { command: 'delete', path: '/memories/c' },
        replace('/memories/b', '5', '5678'),
      ],
      { session, ...limits },
    );
    expect(outcome.invocations.map(({ success }) => success)).toEqual([true, true, true, false]);
  });
});

describe('a call', () => {
  it('is a transaction of its own, and several in one turn come out as if made one after the other', async () => {
    const { tool, files } = createMemoryTool();
    const { session, invocations } = await runCalls({
      tools: [tool],
      slices: [files],
      calls: [
        create('/memories/a', 'one\n'),
        { command: 'insert', path: '/memories/a', insert_line: 1, insert_text: 'two' },
        create('/memories/a', 'again'),
        replace('/memories/a', 'two', 'three'),
        create('/memories/b/c', 'x'),
        { command: 'rename', old_path: '/memories/b', new_path: '/memories/d' },
      ].map(call),
      session: new Session(),
    });
    expect(invocations.map(({ success }) => success)).toEqual([true, true, false, true, true, true]);
    expect(contentsOf(session, files)).toEqual({ '/memories/a': 'one\nthree\n', '/memories/d/c': 'x' });
  });

  it('writes what it changes, and nothing of the other files', async () => {
    const { tool, files } = createMemoryTool({ seed: { a: '1', b: '2', 'd/c': '3' } });
    const session = new Session();
    session.install(files);
    const fork = session.fork();
    const context = { session: fork.view } as never;
    await tool.execute?.(
      { command: 'rename', old_path: '/memories/d', new_path: '/memories/e' } as never,
      context,
    );
    await tool.execute?.(
      { command: 'insert', path: '/memories/a', insert_line: 1, insert_text: 'x' } as never,
      context,
    );
    const writes = fork.observe().writes.map((write) => (write.op === 'put' ? write.key : write));
    expect(writes).toEqual([
      { slice: 'memory.files', op: 'remove', keys: ['/memories/d/c'] },
      '/memories/a',
      '/memories/e/c',
    ]);
    fork.dispose();
  });
});
