import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAI as createOpenAIV3 } from 'ai-sdk-openai-v3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EvaluateOptions, MemoryFilesystem, resumeRun, Session } from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { toolUse } from '../support/anthropic-messages.ts';
import { draws } from '../support/draws.ts';
import { journalAfter, type WatchedJournal, watchedJournal } from '../support/journals.ts';
import { functionCall } from '../support/openai-responses.ts';
import {
  answeringBlocks,
  answeringItems,
  anthropicAdapters,
  type Item,
  listIn,
  type MakeAdapter,
  openaiAdapters,
  patchCall,
  shellCall,
  type TypedWire,
  typedPrompt,
} from '../support/typed-wires.ts';

type Turns = readonly (readonly Item[])[];

/** A call of a turn: what is asked for, with an id that another call may have, too. */
interface Drawn {
  readonly id: unknown;
  readonly what: 'shell' | 'patch' | 'function' | 'unknown';
  /** Exit codes of its commands. */
  readonly codes: readonly number[];
}

/** Ids that are given twice, that are those of later commands of other calls, and none. */
const shared = ['c1', 'c1_2', 'c1_3', 'c2', 'c2_2', 'c1_2_2'];

const drawnTurns = (ids: readonly unknown[]): fc.Arbitrary<readonly (readonly Drawn[])[]> =>
  fc.array(
    fc.array(
      fc.record({
        id: fc.constantFrom(...ids),
        what: fc.constantFrom('shell', 'shell', 'patch', 'function', 'unknown'),
        codes: fc.array(fc.nat(5), { maxLength: 4 }),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    { minLength: 1, maxLength: 3 },
  );

/** The items of turns, each of whose commands prints another number. */
function toItems(turns: readonly (readonly Drawn[])[]): Turns {
  let number = 0;
  return turns.map((calls) =>
    calls.map(({ codes, id, what }): Item => {
      number += 1;
      const own = { id: `i${number}`, call_id: id };
      switch (what) {
        case 'shell':
          return shellCall(
            '',
            codes.map((code, index) => `echo ${number}.${index}; exit ${code}`),
            {},
            own,
          );
        case 'patch':
          return patchCall('', { type: 'create_file', path: `f${number}`, diff: `+${number}` }, own);
        case 'function':
          return functionCall('', 'read_file', { file_path: `of-${number}` }, own);
        case 'unknown':
          return functionCall('', `unknown_${number}`, {}, own);
      }
    }),
  );
}

/** The blocks of turns; each command prints another number. */
function toBlocks(turns: readonly (readonly Drawn[])[]): Turns {
  let number = 0;
  return turns.map((calls) =>
    calls.map(({ codes: [code = 0, more], id, what }): Item => {
      number += 1;
      const command = `echo n${number}; exit ${code}`;
      const callId = String(id);
      switch (what) {
        case 'shell':
          return toolUse(callId, 'bash', more === undefined ? { command } : { restart: true });
        case 'patch':
          return toolUse(callId, 'str_replace_based_edit_tool', {
            command: 'create',
            path: `n${number}`,
            file_text: 'x',
          });
        case 'function':
          return toolUse(callId, 'grep', { pattern: `n${number}` });
        case 'unknown':
          return toolUse(callId, `unknown_n${number}`, {});
      }
    }),
  );
}

const options: EvaluateOptions = { limits: { maxRepeatedFailures: 1_000, maxTurns: 20 } };
const prompt = () =>
  typedPrompt({
    filesystem: new MemoryFilesystem(),
    typed: {
      openai: { shell: true, applyPatch: true },
      anthropic: { bash: true, textEditor: true, memory: true },
    },
  });

interface Live extends TypedWire {
  readonly journal: WatchedJournal;
}

async function live(wire: TypedWire): Promise<Live> {
  const journal = watchedJournal();
  await wire.adapter.evaluate(prompt(), {
    ...options,
    input: 'Begin.',
    journal,
    runId: 'run',
    session: new Session({ id: 'session' }),
  });
  return { ...wire, journal };
}

/** Kills the run somewhere, and asks whether it asks the rest as it would have. */
async function resumesTheSame(
  { journal, requests }: Live,
  open: (from: number) => TypedWire,
  where: number,
): Promise<void> {
  const part = journal.batches.slice(0, 1 + (where % (journal.batches.length - 1)));
  const answered = part.flatMap(({ rows }) => rows).filter(({ type }) => type === 'response').length;
  const wire = open(answered);
  await resumeRun({
    ...options,
    adapter: wire.adapter,
    runId: 'run',
    prompt: prompt(),
    journal: await journalAfter(part, 'session'),
  });
  const asked = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
    body['input'] ?? body['messages'];
  expect(wire.requests.map(asked)).toEqual(requests.slice(answered).map(asked));
}

/** What a call asks for, without its ids. */
function askedOf({ action, arguments: given, name, operation, type }: Item): readonly unknown[] {
  return [type, name, given, operation, Object(action).commands];
}

/** The calls of one turn have ids of their own. */
function checkIds(ids: readonly unknown[]): void {
  expect(ids.every((id) => typeof id === 'string' && id !== '')).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
}

/** Each answer is after the calls of its turn, in their order. */
function checkItems(items: readonly Item[], turns: Turns): void {
  let at = 1 + items.findIndex(({ role }) => role === 'user');
  for (const calls of turns) {
    const came = items.slice(at, at + calls.length);
    at += calls.length;
    expect(came.map(askedOf)).toEqual(calls.map(askedOf));
    checkIds(came.map(({ call_id: id }) => id));
    const answers = items.slice(at, at + calls.length);
    at += calls.length;
    expect(answers.map(({ call_id: id, type }) => [type, id])).toEqual(
      came.map(({ call_id: id, type }) => [`${String(type)}_output`, id]),
    );
    for (const [index, answer] of answers.entries()) checkAnswer(calls[index] ?? {}, answer);
  }
  expect(items).toHaveLength(at);
}

function checkAnswer(
  { action, arguments: given, name, operation, type }: Item,
  { output, status }: Item,
): void {
  if (type === 'apply_patch_call') {
    expect([status, output]).toEqual([
      'completed',
      expect.stringContaining(String(Reflect.get(Object(operation), 'path'))),
    ]);
  } else if (type === 'function_call') {
    const { file_path: path = name } = JSON.parse(String(given));
    expect(output).toContain(path);
  } else {
    const commands = Reflect.get(Object(action), 'commands') as readonly string[];
    const ends = (output as readonly Item[]).map(({ outcome, stdout }) => [
      stdout,
      Reflect.get(Object(outcome), 'exit_code'),
    ]);
    expect(ends).toEqual(
      commands.length === 0
        ? [['', 126]]
        : commands.map((command) => {
            const [, number = '', code = ''] = /^echo (\S+); exit (\d)$/.exec(command) ?? [];
            return [`${number}\n`, Number(code)];
          }),
    );
  }
}

const whole = (model: Parameters<typeof aiSdk>[0]['model']) =>
  aiSdk({ model, providerOptions: { openai: { store: false } } });

test.each<readonly [string, MakeAdapter, readonly unknown[]]>([
  ['native', openaiAdapters.native, [...shared, undefined, null, '']],
  // The packages refuse calls without an id, and send whole items only where the provider stores none.
  ['aiSdk v4', (fetch) => whole(createOpenAI({ apiKey: 'k', fetch }).responses('gpt-5.4')), shared],
  ['aiSdk v3', (fetch) => whole(createOpenAIV3({ apiKey: 'k', fetch }).responses('gpt-5.4')), shared],
])('OpenAI, %s: every call is answered once, in order, live and resumed', async (_name, make, ids) => {
  await fc.assert(
    fc.asyncProperty(drawnTurns(ids), fc.nat(), async (drawn, where) => {
      const turns = toItems(drawn);
      const open = (from: number) => answeringItems(make, ...turns.slice(from));
      const run = await live(open(0));
      expect(run.requests).toHaveLength(turns.length + 1);
      for (const [index, request] of run.requests.entries())
        checkItems(listIn(request, 'input'), turns.slice(0, index));
      await resumesTheSame(run, open, where);
    }),
    { numRuns: draws(60) },
  );
});

const contentOf = (message: Item | undefined) => message?.['content'] as readonly Item[];

test.each(Object.entries(anthropicAdapters))(
  'Anthropic, %s: every call is answered once, in order, live and resumed',
  async (_name, make) => {
    await fc.assert(
      fc.asyncProperty(drawnTurns(shared), fc.nat(), async (drawn, where) => {
        const turns = toBlocks(drawn);
        const open = (from: number) => answeringBlocks(make, ...turns.slice(from));
        const run = await live(open(0));
        expect(run.requests).toHaveLength(turns.length + 1);
        const messages = listIn(run.requests.at(-1), 'messages').slice(1);
        expect(messages).toHaveLength(2 * turns.length);
        for (const [index, calls] of turns.entries()) {
          const came = contentOf(messages[2 * index]);
          expect(came.map(({ input, name }) => [name, input])).toEqual(
            calls.map(({ input, name }) => [name, input]),
          );
          const answers = contentOf(messages[2 * index + 1]);
          expect(answers.map(({ tool_use_id: id, type }) => [type, id])).toEqual(
            came.map(({ id }) => ['tool_result', id]),
          );
          checkIds(came.map(({ id }) => id));
          for (const [place, { input, name }] of calls.entries()) {
            const [number] = /n\d+/.exec(`${String(name)} ${JSON.stringify(input)}`) ?? [];
            if (number !== undefined && name !== 'grep')
              expect(JSON.stringify(answers[place])).toMatch(new RegExp(`${number}\\b`));
          }
        }
        await resumesTheSame(run, open, where);
      }),
      { numRuns: draws(60) },
    );
  },
);
