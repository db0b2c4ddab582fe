import { describe, expect, test } from 'vitest';
import {
  anyCompletion,
  BudgetTracker,
  binding,
  type CompletionChecker,
  CompletionVerdict,
  defineAgent,
  defineSlice,
  type EvaluateOptions,
  type FeedbackProvider,
  Filesystem,
  filesExistCompletion,
  lastCallCompletion,
  MemoryFilesystem,
  openToolRuntime,
  PromptValidationError,
  promptTemplate,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { planCompletion, planningToolsSection } from 'weakincentives/tools';
import { z } from 'zod';
import { calling, delegate, modelFor, promptWith } from '../../../../support/nested-setup.ts';

const check = tool({
  name: 'run_tests',
  description: 'Runs the tests.',
  execute: () => ToolResult.ok(null, 'Passed.'),
});
const task = section({ title: 'Task', key: 'task', template: 'Do it.', tools: [check] });
const closed = section({
  title: 'Later',
  key: 'later',
  template: 'More.',
  enabled: () => false,
  tools: [tool({ name: 'later', description: 'Later.', execute: () => ToolResult.ok(null) })],
});
const template = promptTemplate({ ns: 'test', key: 'requirements', sections: [task, closed] });
const files = { resources: [binding(Filesystem, { instance: new MemoryFilesystem() })] };

/** Evaluates a prompt on a model that answers at once. @returns how often the model was asked, and the error. */
async function run(
  options: EvaluateOptions,
  prompt = template.bind(),
): Promise<{ readonly asked: number; readonly error: unknown }> {
  let asked = 0;
  const adapter = scriptedAdapter(() => {
    asked += 1;
    return { text: 'Done.' };
  });
  const error = await adapter.evaluate(prompt, options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { asked, error };
}

async function refused(options: EvaluateOptions, prompt = template.bind()): Promise<string> {
  const { asked, error } = await run(options, prompt);
  expect(asked).toBe(0);
  if (!(error instanceof PromptValidationError)) throw new Error('It was not refused.', { cause: error });
  return error.message;
}

describe('a completion checker is refused', () => {
  test.each<[string, CompletionChecker | readonly CompletionChecker[], string]>([
    ['alone', filesExistCompletion({ paths: ['a.md'] }), 'files-exist'],
    [
      'among all',
      [{ name: 'yes', check: CompletionVerdict.complete }, filesExistCompletion({ paths: ['a.md'] })],
      'all-of(yes, files-exist)',
    ],
    [
      'among alternatives',
      anyCompletion(
        { name: 'yes', check: CompletionVerdict.complete },
        filesExistCompletion({ paths: ['a.md'] }),
      ),
      'any-of(yes, files-exist)',
    ],
  ])('that looks for files where there are none: %s', async (_how, completion, name) => {
    expect(await refused({ completion })).toBe(
      `The completion checker "${name}" needs a file system, which the prompt "requirements" does not have. ` +
        'Bind one, such as binding(Filesystem, { instance: new MemoryFilesystem() }), or leave the checker out.',
    );
    expect(
      (await run({ completion: completion, limits: { maxCompletionChecks: 1 } }, template.bind({}, files)))
        .asked,
    ).toBe(1);
  });

  test('that waits for a tool the prompt does not have, in no section', async () => {
    expect(await refused({ completion: lastCallCompletion({ toolName: 'run_test' }) })).toBe(
      'The completion checker "last-call-succeeded:run_test" needs the tool "run_test", which the prompt "requirements" does not have. ' +
        'Its tools are "run_tests", "later". Name one of them, add the tool to one of its sections, or leave the checker out.',
    );
    for (const name of ['run_tests', 'later']) {
      const { error } = await run({
        completion: lastCallCompletion({ toolName: name }),
        limits: { maxCompletionChecks: 1 },
      });
      expect(error).toMatchObject({ code: 'evaluation-incomplete' });
    }
  });

  test('but not when an earlier conversation has the result of the tool', async () => {
    const { conversation } = await scriptedAdapter([
      { toolCalls: [{ name: 'run_tests' }] },
      { text: 'Passed.' },
    ]).evaluate(template.bind());
    const other = promptTemplate({ ns: 'test', key: 'other', sections: [{ ...task, tools: [] }] });
    const completion = lastCallCompletion({ toolName: 'run_tests' });
    expect((await run({ completion, history: conversation }, other.bind())).error).toBeUndefined();
  });

  test('that needs a slice nobody has; the session counts', async () => {
    const Notes = defineSlice({ name: 'notes', schema: z.object({ text: z.string() }) });
    const completion: CompletionChecker = {
      name: 'notes',
      requires: [{ kind: 'slice', slice: Notes, broughtBy: 'notesSection()' }],
      check: CompletionVerdict.complete,
    };
    expect(await refused({ completion })).toContain('needs the slice "notes"');
    await using session = new Session();
    session.install(Notes);
    expect((await run({ completion, session })).error).toBeUndefined();
  });

  test('when an agent is defined', () => {
    const agent = (completion: CompletionChecker) => () => defineAgent({ template, completion });
    expect(agent(planCompletion())).toThrow(
      /needs the slice .* Add planningToolsSection\(\) to its sections/,
    );
    expect(agent(lastCallCompletion({ toolName: 'run_test' }))).toThrow(/needs the tool "run_test"/);
    // Files come with the workspace.
    expect(agent(filesExistCompletion({ paths: ['a.md'] }))).not.toThrow();
    const planned = promptTemplate({ ns: 'test', key: 'planned', sections: [task, planningToolsSection()] });
    expect(() => defineAgent({ template: planned, completion: planCompletion() })).not.toThrow();
  });

  test.each([
    [{}, ['prompt-invalid', 'prompt-invalid']],
    [files, ['evaluation-incomplete', 'prompt-invalid']],
  ])('in an evaluation inside a call, where the files of the call count: %#', async (bound, expected) => {
    const seen: unknown[] = [];
    const outer = delegate('state', async ({ adapter }) => {
      for (const checker of [filesExistCompletion({ paths: ['a.md'] }), planCompletion()]) {
        const limits = { maxCompletionChecks: 1 };
        await adapter
          .evaluate(promptWith('inner', []), { completion: checker, limits })
          .catch((error: { readonly code: string }) => seen.push(error.code));
      }
      return ToolResult.ok(null);
    });
    const around = promptTemplate({
      ns: 'test',
      key: 'outer',
      sections: [section({ title: 'O', key: 'outer', template: 'This is outer.', tools: [outer] })],
    });
    await modelFor({ outer: [calling('delegate')] }).evaluate(around.bind({}, bound));
    expect(seen).toEqual(expected);
  });
});

describe('a feedback provider is refused', () => {
  const provider = (triggers: FeedbackProvider['triggers']): FeedbackProvider => ({
    name: 'watcher',
    triggers,
    provide: () => undefined,
  });

  test('that waits for files alone, where there is no file system', async () => {
    expect(await refused({ feedback: [provider({ fileCreated: '*.md' })] })).toBe(
      'The feedback provider "watcher" is never due: it waits for files, and the prompt "requirements" binds no file system. ' +
        'Bind one, such as binding(Filesystem, { instance: new MemoryFilesystem() }), or give the provider everyCalls or everyMs.',
    );
    await using session = new Session();
    const feedback = [provider({ fileCreated: '*.md' })];
    await expect(openToolRuntime(template.bind(), { session, feedback })).rejects.toThrow(/is never due/);
    // The session is free again.
    expect((await run({ session })).error).toBeUndefined();
    for (const [triggers, options] of [
      [{ fileCreated: '*.md', everyCalls: 1 }, {}],
      [{ fileCreated: '*.md' }, files],
    ] as const) {
      const { error } = await run({ feedback: [provider(triggers)] }, template.bind({}, options));
      expect(error).toBeUndefined();
    }
  });
});

describe('a budget without a limit is refused', () => {
  const message =
    'A budget without a limit would limit nothing; give it at least one of maxInputTokens, maxOutputTokens, maxTotalTokens, maxCost, ' +
    'maxUncountedTurns. A tracker that is only to count is made by new BudgetTracker(budget, { isLimitRequired: false }).';
  const prices = { inputPerMillion: 1, outputPerMillion: 1 };

  test.each([[{}], [{ prices }], [{ maxTotalTokens: undefined }]])('%j', async (given) => {
    // As a caller without exact optional properties writes it.
    const budget = given as { readonly prices?: typeof prices };
    const expected = expect.objectContaining({
      code: 'prompt-invalid',
      message,
      details: { option: 'budget' },
    });
    expect(() => new BudgetTracker(budget)).toThrow(expected);
    if (budget.prices === undefined)
      expect(() => defineAgent({ template, limits: { budget } })).toThrow(expected);
    expect(await refused({ limits: { budget } })).toBe(message);
  });

  test('but not where it is only to count', async () => {
    const budget = new BudgetTracker({ prices }, { isLimitRequired: false });
    expect((await run({ limits: { budget } })).error).toBeUndefined();
    // Of an agent, `wink run` says what it cost.
    expect(defineAgent({ template, limits: { budget: { prices } } }).limits?.budget).toMatchObject({
      prices,
    });
    for (const limited of [{ maxUncountedTurns: 0 }, { maxCost: 1, prices }]) {
      expect(() => new BudgetTracker(limited)).not.toThrow();
    }
  });
});
