import { describe, expect, it } from 'vitest';
import {
  type FileChange,
  type FileContent,
  type Filesystem,
  readBeforeWritePolicy,
  Session,
  type ToolPolicy,
} from 'weakincentives';
import { contentDigest, fileContent } from '../../../../src/core/filesystem/index.ts';
import { PolicyFacts } from '../../../../src/core/policy/index.ts';
import { callOf, contextOf, PolicyStage } from './policy-fixtures.ts';

const policy = readBeforeWritePolicy();
const path = 'log.txt';
const lines = Array.from({ length: 3002 }, (_, index) => `line ${index}`);
const text = `${lines.join('\n')}\n`;

/** Calls on one file, each as the runtime makes it. */
class Stage extends PolicyStage {
  readonly #rule: ToolPolicy;

  constructor(rule: ToolPolicy = policy, files: Record<string, string> | Filesystem = { [path]: text }) {
    super(files);
    this.#rule = rule;
  }

  read(offset: number, limit?: number, name = path): Promise<string | undefined> {
    const window = limit === undefined ? { offset } : { offset, limit };
    return this.call(this.#rule, 'read_file', { path: name }, ({ view }) => view.read(name, window));
  }
  write(content: string, tool = 'write_file', name = path): Promise<string | undefined> {
    return this.call(this.#rule, tool, { path: name }, ({ view }) => view.write(name, content));
  }
  edit(oldText: string, newText: string, name = path): Promise<string | undefined> {
    return this.call(this.#rule, 'edit_file', { path: name }, ({ view }) =>
      view.edit(name, [{ oldText, newText }]),
    );
  }
  append(content: string): Promise<string | undefined> {
    return this.call(this.#rule, 'other', {}, ({ view }) => view.write(path, content, { mode: 'append' }));
  }
}

describe('a file that was read in part', () => {
  it('is not written whole until the rest was read, in windows of any order', async () => {
    const stage = new Stage();
    await stage.read(0, 2);
    expect(await stage.write('short\n')).toBe(
      '"log.txt" was read in part, and this call would replace what was not read: lines 3-3,002. Read that first with "read_file", in a call of its own, or change only what was read.',
    );
    await stage.read(2000);
    expect(await stage.write('short\n')).toContain('lines 3-2,000.');
    await stage.read(1, 1999);
    expect(await stage.write('short\n')).toBeUndefined();
    expect(await stage.write('and again\n')).toBeUndefined();
  });

  it('is judged by what changes, whichever tool changes it', async () => {
    const stage = new Stage();
    await stage.read(0, 2);
    expect(await stage.write(text.replace('line 1\n', 'LINE 1\n'), 'sed')).toBeUndefined();
    expect(await stage.write(text.replace('line 1000\n', 'LINE 1000\n'), 'sed')).toContain('line 1,001.');
  });

  it('takes an edit, several and an append where they change what was read', async () => {
    const stage = new Stage();
    await stage.read(10, 5);
    await stage.read(2500, 5);
    expect(await stage.edit('line 10\n', 'line ten\n')).toBeUndefined();
    expect(await stage.edit('line 9\n', 'line nine\n')).toContain('line 10.');
    expect(await stage.edit('line 15\n', 'line 15!\n')).toContain('line 16.');
    const both = [
      { oldText: 'line 11\n', newText: '' },
      { oldText: 'line 2504', newText: 'end' },
    ];
    expect(
      await stage.call(policy, 'edit_file', { path }, ({ view }) => view.edit(path, both)),
    ).toBeUndefined();
    expect(await stage.append('more\n')).toBeUndefined();
    expect((await stage.files.read(path)).text).toContain('line ten\nline 12\n');
    const all = [{ oldText: 'line 300', newText: 'LINE 300', replaceAll: true }];
    expect(await stage.call(policy, 'edit_file', { path }, ({ view }) => view.edit(path, all))).toMatch(
      /: line 300 and lines 3,000-3,001\./,
    );
  });

  it('stays read where it was read after changes of its own', async () => {
    const stage = new Stage();
    await stage.read(0, 3);
    await stage.edit('line 1\n', 'one\nand a half\n');
    expect(await stage.edit('and a half', 'and more')).toBeUndefined();
    expect(await stage.edit('line 2\n', 'line two\n')).toBeUndefined();
    expect(await stage.edit('line 3\n', 'line three\n')).toContain('was read in part');
    await stage.append('at the end\n');
    expect(await stage.edit('at the end', 'the end')).toBeUndefined();
    expect(await stage.write('short')).toContain('lines 5-3,003.');
  });

  it('counts only for the content that it was read from', async () => {
    const stage = new Stage();
    await stage.read(0, 1500);
    await stage.files.write(path, `from outside\n${text}`);
    expect(await stage.edit('line 1\n', 'one\n')).toContain('has changed since it was read');
    await stage.read(1501);
    expect(await stage.write('short')).toContain('lines 1-1,501.');
  });

  it('is moved with what is known of it', async () => {
    const stage = new Stage(readBeforeWritePolicy({ governRemoval: true }));
    await stage.read(0, 2);
    const move = (from: string, to: string): Promise<string | undefined> =>
      stage.call(policy, 'mv', {}, ({ view }) => view.move(from, to));
    expect(await move(path, 'moved.txt')).toBeUndefined();
    expect(await stage.edit('line 1\n', 'one\n', 'moved.txt')).toBeUndefined();
    expect(await stage.write('short', 'write_file', 'moved.txt')).toContain('lines 3-3,002.');
  });

  it('may be moved away and not be removed where removal is governed', async () => {
    const strict = readBeforeWritePolicy({ governRemoval: true });
    const stage = new Stage(strict);
    await stage.read(0, 2);
    expect(await stage.call(strict, 'rm', {}, ({ view }) => view.remove(path))).toContain('lines 3-3,002.');
    expect(
      await stage.call(strict, 'rename', {}, async ({ view }) => {
        await view.write('by-hand.txt', await view.readBytes(path));
        await view.remove(path);
      }),
    ).toBeUndefined();
    expect(
      await stage.call(strict, 'mv', {}, ({ view }) => view.move('by-hand.txt', 'moved.txt')),
    ).toBeUndefined();
  });

  it('is known as a whole with the rule of the specification, and where a tool is exempt', async () => {
    const stage = new Stage(readBeforeWritePolicy({ allowPartialReads: true }));
    expect(await stage.write('short')).toContain('has not been read');
    await stage.read(0, 1);
    expect(await stage.write('short')).toBeUndefined();
    const rule = readBeforeWritePolicy({ exempt: ['format'] });
    const other = new Stage(rule);
    await other.read(0, 1);
    expect(await other.write(text.replaceAll('line', 'LINE'), 'format')).toBeUndefined();
    expect(await other.write('short')).toBeUndefined();
  });

  it('is known as far as a search has found it', async () => {
    const stage = new Stage();
    const grep = (pattern: string): Promise<string | undefined> =>
      stage.call(policy, 'grep', { pattern, path: '.' }, ({ view }) => view.grep(pattern, { literal: true }));
    await grep('absent');
    expect(await stage.edit('line 1000\n', 'x\n')).toContain('has not been read');
    await grep('line 1000');
    expect(await stage.edit('line 1000\n', 'x\n')).toBeUndefined();
    expect(await stage.edit('line 1001\n', 'y\n')).toContain('line 1,002.');
    const none = new Stage(readBeforeWritePolicy({ searchTools: [] }));
    await none.call(readBeforeWritePolicy({ searchTools: [] }), 'grep', {}, ({ view }) =>
      view.grep('line 1$'),
    );
    expect(await none.edit('line 1\n', 'x\n')).toContain('has not been read');
  });

  it('is not known for a read of nothing, or by other tools', async () => {
    const stage = new Stage();
    await stage.read(5000);
    await stage.call(policy, 'count', { path }, ({ view }) => view.read(path));
    expect(await stage.edit('line 1\n', 'x\n')).toContain('has not been read');
  });

  it('is known whole where it was read as bytes, or past the files of the call', async () => {
    const stage = new Stage();
    await stage.call(policy, 'read_file', { path }, ({ view }) => view.readBytes(path));
    expect(await stage.write('short')).toBeUndefined();
    const past = new Stage();
    await past.call(policy, 'read_file', { path });
    expect(await past.write('short')).toBeUndefined();
  });

  it('is known whole by a fact of before, without parts', async () => {
    const stage = new Stage();
    await stage.read(0);
    const [fact] = stage.session.slice(PolicyFacts).all();
    expect(fact).toEqual({
      policyName: 'read-before-write',
      tool: 'read_file',
      key: path,
      stamp: fact?.stamp,
    });
    expect(await stage.write('short')).toBeUndefined();
  });

  it('keeps its parts in an export', async () => {
    const stage = new Stage();
    await stage.read(1, 1);
    const session = new Session();
    session.install(PolicyFacts);
    session.importState(JSON.parse(JSON.stringify(stage.session.exportState())));
    expect(session.slice(PolicyFacts).all()).toEqual(stage.session.slice(PolicyFacts).all());
    expect(session.slice(PolicyFacts).all()).toMatchObject([{ ranges: [7, 14] }]);
  });

  it('may be written whole without stale detection only when all of it was read', async () => {
    const rule = readBeforeWritePolicy({ detectStale: false });
    const stage = new Stage(rule);
    await stage.read(0, 2);
    expect(await stage.write('short')).toContain('lines 3-3,002.');
    await stage.read(2);
    await stage.files.write(path, 'from outside');
    expect(await stage.write('short')).toBeUndefined();
  });
});

describe('what calls inside a call have changed', () => {
  const contentOf = (of: string): FileContent => fileContent(new TextEncoder().encode(of));
  const modified = (before: FileContent, after: FileContent): FileChange => ({
    path,
    kind: 'modified',
    entry: 'file',
    before,
    after,
  });
  const [base, inner] = [contentOf('one\ntwo\nthree\n'), contentOf('ONE\ntwo\nthree\n')];

  /** Judges a change of the outer call, after a call inside has edited the first line, the only one that was read. */
  async function judge(after: FileContent, innerChange: FileChange): Promise<string | undefined> {
    const stage = new PolicyStage();
    const fork = stage.session.fork();
    fork.privileged.slice(PolicyFacts).append({
      policyName: policy.name,
      tool: 'read_file',
      key: path,
      stamp: contentDigest(inner),
      ranges: [0, 4],
    });
    const decision = await policy.checkChanges?.(callOf('delegate'), [modified(base, after)], {
      ...contextOf(fork),
      readPaths: [],
      innerChanges: [innerChange],
    });
    return decision?.outcome === 'deny' ? decision.reason : undefined;
  }

  it('is what a further change of the outer call is compared with', async () => {
    expect(await judge(inner, modified(base, inner))).toBeUndefined();
    expect(await judge(contentOf('first\ntwo\nthree\n'), modified(base, inner))).toBeUndefined();
    expect(await judge(contentOf('short\n'), modified(base, inner))).toContain('lines 2-3.');
  });

  it('counts only where it began with the content that the outer call has found', async () => {
    const written = contentOf('written by the outer call\n');
    expect(await judge(inner, modified(written, inner))).toContain('has changed since it was read');
  });
});
