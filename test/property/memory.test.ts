import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forkRun, type JournalBatch, promptTemplate, resumeRun, Session, section } from 'weakincentives';
import { exportRecord, readRunRecord, replayRun } from 'weakincentives/record';
import { type ScriptedToolCall, scriptedAdapter } from 'weakincentives/testing';
import { memorySection } from 'weakincentives/tools';
import { draws } from '../support/draws.ts';
import { journalAfter, watchedJournal } from '../support/journals.ts';
import { linesOf } from '../support/replays.ts';

/** One command. */
type Action =
  | { readonly command: 'view'; readonly path: string }
  | { readonly command: 'create'; readonly path: string; readonly file_text: string }
  | {
      readonly command: 'str_replace';
      readonly path: string;
      readonly old_str: string;
      readonly new_str: string;
    }
  | {
      readonly command: 'insert';
      readonly path: string;
      readonly insert_line: number;
      readonly insert_text: string;
    }
  | { readonly command: 'delete'; readonly path: string }
  | { readonly command: 'rename'; readonly old_path: string; readonly new_path: string };

const maxFiles = 4;
const maxBytes = 30;
const seed = { a: 'one\ntwo\n', 'b/c': 'x' };

/** A memory as plainly as it can be written: a tree of maps, copied for each change. */
type PlainTree = Map<string, PlainTree | string>;

class PlainMemory {
  tree: PlainTree = new Map<string, PlainTree | string>([
    ['a', seed.a],
    ['b', new Map([['c', seed['b/c']]])],
  ]);

  /** True when the action was allowed and is done. */
  run(action: Action): boolean {
    const before = structuredClone(this.tree);
    const isDone = this.#try(action) && (isSmaller(this.tree, before) || this.#fits());
    if (!isDone) this.tree = before;
    return isDone;
  }

  #fits(): boolean {
    const { files, characters } = sizeOf(this.tree);
    return files <= maxFiles && characters <= maxBytes;
  }

  #try(action: Action): boolean {
    switch (action.command) {
      case 'view':
        return this.#at(namesOf(action.path)) !== undefined;
      case 'create':
        return this.#put(namesOf(action.path), action.file_text);
      case 'str_replace':
        return this.#edit(action.path, (text) => {
          const parts = text.split(action.old_str);
          return action.old_str === action.new_str || parts.length !== 2
            ? undefined
            : parts.join(action.new_str);
        });
      case 'insert':
        return this.#edit(action.path, (text) => {
          const lines = text.split('\n');
          const closes = lines.at(-1) === '';
          if (closes) lines.pop();
          if (action.insert_line > lines.length) return undefined;
          lines.splice(action.insert_line, 0, action.insert_text);
          return lines.join('\n') + (closes && text !== '' ? '\n' : '');
        });
      case 'delete':
        return this.#take(namesOf(action.path)) !== undefined;
      case 'rename': {
        const [from, to] = [namesOf(action.old_path), namesOf(action.new_path)];
        if (`${action.new_path}/`.startsWith(`${action.old_path}/`)) return false;
        const before = structuredClone(this.tree);
        const taken = this.#take(from);
        if (taken !== undefined) {
          // A folder that is empty without it is in the way nevertheless: it is the target's place before the move.
          const blocked = at(before, to) !== undefined || throughFile(before, to);
          return !blocked && this.#put(to, taken);
        }
        return false;
      }
    }
  }

  #at(names: readonly string[]): PlainTree | string | undefined {
    return at(this.tree, names);
  }

  #put(names: readonly string[], value: PlainTree | string): boolean {
    if (this.#at(names) !== undefined || throughFile(this.tree, names)) return false;
    let tree = this.tree;
    for (const name of names.slice(0, -1)) {
      const next = tree.get(name) ?? new Map<string, PlainTree | string>();
      tree.set(name, next);
      if (typeof next === 'string') return false;
      tree = next;
    }
    tree.set(names.at(-1) ?? '', value);
    return true;
  }

  #take(names: readonly string[]): PlainTree | string | undefined {
    const taken = this.#at(names);
    if (names.length === 0 || taken === undefined) return undefined;
    for (let depth = names.length; depth > 0; depth -= 1) {
      const holder = this.#at(names.slice(0, depth - 1));
      const name = names[depth - 1] ?? '';
      const held = typeof holder === 'object' ? holder.get(name) : undefined;
      const isGone = depth === names.length || (typeof held === 'object' && held.size === 0);
      if (typeof holder === 'object' && isGone) holder.delete(name);
    }
    return taken;
  }

  #edit(path: string, edit: (text: string) => string | undefined): boolean {
    const names = namesOf(path);
    const text = this.#at(names);
    const edited = typeof text === 'string' ? edit(text) : undefined;
    const folder = this.#at(names.slice(0, -1));
    if (edited === undefined || typeof folder !== 'object') return false;
    folder.set(names.at(-1) ?? '', edited);
    return true;
  }

  files(): Record<string, string> {
    return Object.fromEntries(filesIn(this.tree, '/memories'));
  }
}

const namesOf = (path: string): readonly string[] => path.split('/').slice(2);

function at(tree: PlainTree, names: readonly string[]): PlainTree | string | undefined {
  let found: PlainTree | string | undefined = tree;
  for (const name of names) found = typeof found === 'object' ? found.get(name) : undefined;
  return found;
}

const throughFile = (tree: PlainTree, names: readonly string[]): boolean =>
  names.some((_, depth) => depth > 0 && typeof at(tree, names.slice(0, depth)) === 'string');

function filesIn(tree: PlainTree, path: string): [string, string][] {
  return [...tree].flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[`${path}/${name}`, value]] : filesIn(value, `${path}/${name}`),
  );
}

function sizeOf(tree: PlainTree): { readonly files: number; readonly characters: number } {
  const texts = filesIn(tree, '').map(([, text]) => text);
  return { files: texts.length, characters: texts.join('').length };
}

function isSmaller(now: PlainTree, before: PlainTree): boolean {
  const [after, earlier] = [sizeOf(now), sizeOf(before)];
  return after.files <= earlier.files && after.characters <= earlier.characters;
}

// Letters of one byte, so that characters are bytes.
const path = fc.constantFrom(
  ...['/a', '/b', '/b/c', '/b/d', '/b/d/e', '/a/f', '/bb', '/g', ''].map((name) => `/memories${name}`),
);
const text = fc.constantFrom('', 'x', 'one', 'one\ntwo\n', 'y\n', 'two', 'long text'.repeat(2));
const line = fc.constantFrom('', 'x', 'new line');
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ command: fc.constant('view' as const), path }),
  fc.record({ command: fc.constant('create' as const), path, file_text: text }),
  fc.record({
    command: fc.constant('str_replace' as const),
    path,
    old_str: fc.constantFrom('x', 'one', '\n', 'two\n'),
    new_str: text,
  }),
  fc.record({ command: fc.constant('insert' as const), path, insert_line: fc.nat(3), insert_text: line }),
  fc.record({ command: fc.constant('delete' as const), path }),
  fc.record({ command: fc.constant('rename' as const), old_path: path, new_path: path }),
);
/** Turns of a run. */
const turns = fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
type Script = readonly (readonly Action[])[];

const memory = memorySection({ seed, maxFiles, maxBytes });
const task = section({ title: 'Task', key: 'task', template: 'Work.' });
const prompt = promptTemplate({ ns: 'tests', key: 'memory', sections: [task, memory] }).bind();
const limits = { maxRepeatedFailures: 1000 };

const callOf = (given: Action): ScriptedToolCall => ({ name: 'memory', arguments: { ...given } });
const adapterOf = (script: Script) =>
  scriptedAdapter([...script.map((actions) => ({ toolCalls: actions.map(callOf) })), { text: 'Done.' }]);

const filesOf = (session: Session): Record<string, string> =>
  Object.fromEntries(
    session
      .slice(memory.files)
      .all()
      .map((file) => {
        expect(file.bytes).toBe(file.text.length);
        return [file.path, file.text];
      }),
  );

/** A run in a journal, and what it left. */
async function journaled(script: Script) {
  const journal = watchedJournal();
  const session = new Session({ id: 'session' });
  await adapterOf(script).evaluate(prompt, { session, journal, limits, runId: 'run', input: 'Go.' });
  return { journal, batches: journal.batches, files: filesOf(session) };
}

async function resumed(script: Script, batches: readonly JournalBatch[]): Promise<Record<string, string>> {
  const journal = await journalAfter(batches, 'session');
  const session = new Session({ id: 'session' });
  await resumeRun({ journal, session, limits, adapter: adapterOf(script), prompt, runId: 'run' });
  return filesOf(session);
}

describe('a memory', () => {
  it('follows the plain one, however many calls are made in one turn, and moves with an export', async () => {
    await fc.assert(
      fc.asyncProperty(turns, async (script) => {
        await using session = new Session();
        const succeeded: boolean[] = [];
        const onEvent = (event: {
          readonly type: string;
          readonly invocation?: { readonly success: boolean };
        }) => {
          if (event.type === 'tool-call-end' && event.invocation !== undefined)
            succeeded.push(event.invocation.success);
        };
        await adapterOf(script).evaluate(prompt, { session, limits, observers: [{ onEvent }] });
        const plain = new PlainMemory();
        expect(succeeded).toEqual(script.flat().map((each) => plain.run(each)));
        expect(filesOf(session)).toEqual(plain.files());
        await using other = new Session();
        other.install(memory.files);
        other.importState(JSON.parse(JSON.stringify(session.exportState())), { unknownSlices: 'skip' });
        expect(other.slice(memory.files).all()).toEqual(session.slice(memory.files).all());
      }),
      { numRuns: draws(400) },
    );
  });

  it('is the same after a resume from any flush, and in a replay', async () => {
    await fc.assert(
      fc.asyncProperty(turns, async (script) => {
        const { batches, files } = await journaled(script);
        for (let count = 1; count <= batches.length; count += 1)
          expect(
            await resumed(script, batches.slice(0, count)),
            `after ${count} of ${batches.length}`,
          ).toEqual(files);
        const record = await readRunRecord(
          await linesOf(adapterOf(script), prompt, { input: 'Go.', limits }),
        );
        expect(await replayRun({ record, prompt })).toMatchObject({ isSame: true, ending: 'complete' });
      }),
      { numRuns: draws(60) },
    );
  });

  it('is what it was at the commit that a fork begins with, and then continues as the run did', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.nat(20), async (script, place) => {
        const { journal, files } = await journaled(script);
        const plain = new PlainMemory();
        // Views are commits, too, that change nothing.
        const moments = [
          plain.files(),
          ...script.flat().flatMap((each) => (plain.run(each) ? [plain.files()] : [])),
        ];
        const seq = place % moments.length;
        const fork = await forkRun({ journal, runId: 'run', at: seq });
        const lines: string[] = [];
        for await (const row of exportRecord({ journal, runId: fork.runId })) lines.push(row);
        const held = (await readRunRecord(lines)).stateAt(seq).find(({ name }) => name === memory.files.name);
        const texts =
          held?.items.map(({ value }) => value as { readonly path: string; readonly text: string }) ?? [];
        expect(Object.fromEntries(texts.map((file) => [file.path, file.text]))).toEqual(moments[seq]);
        const session = new Session({ id: fork.sessionId });
        await resumeRun({ journal, session, limits, adapter: adapterOf(script), prompt, runId: fork.runId });
        expect(filesOf(session)).toEqual(files);
      }),
      { numRuns: draws(60) },
    );
  });
});
