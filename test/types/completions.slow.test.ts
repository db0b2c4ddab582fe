import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const path = join(root, 'test/types/completions.generated.ts');

/** Where the cursor is in a program below. */
const cursor = '/*|*/';

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  root,
);
let program = '';
let version = 0;
const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => [path],
  getScriptVersion: (file) => (file === path ? String(version) : '0'),
  getScriptSnapshot: (file) => {
    if (file === path) return ts.ScriptSnapshot.fromString(program);
    return ts.sys.fileExists(file) ? ts.ScriptSnapshot.fromString(readFileSync(file, 'utf8')) : undefined;
  },
  getCurrentDirectory: () => root,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (file) => file === path || ts.sys.fileExists(file),
  readFile: ts.sys.readFile,
  readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
});

/** The members that an editor offers at the cursor, sorted. */
function completionsIn(text: string): readonly string[] {
  program = text.replace(cursor, '');
  version += 1;
  const found = service.getCompletionsAtPosition(path, text.indexOf(cursor), {});
  // Where the compiler expects nothing in particular, it offers every name in scope.
  if (found === undefined || found.isGlobalCompletion) return [];
  return found.entries.map(({ name }) => name).sort();
}

/** A program that evaluates a prompt with some options. */
const evaluating = (evaluateOptions: string): string => `
  import { promptTemplate, section } from 'weakincentives';
  import { scriptedAdapter } from 'weakincentives/testing';
  const task = section({ title: 'Task', key: 'task', template: 'Answer.' });
  const prompt = promptTemplate({ ns: 'a', key: 'b', sections: [task] }).bind();
  await scriptedAdapter([]).evaluate(prompt, ${evaluateOptions});
`;

describe('an editor offers', () => {
  it.each([
    ['PolicyDecision', ['allow', 'ask', 'deny']],
    ['ToolResult', ['error', 'ok']],
    ['CompletionVerdict', ['complete', 'incomplete']],
  ])('the outcomes after `%s.`', (name, outcomes) => {
    expect(completionsIn(`import { ${name} } from 'weakincentives'; ${name}.${cursor}`)).toEqual(outcomes);
  });

  it('the params of a section in its template', () => {
    const text = `
      import { section } from 'weakincentives';
      import { z } from 'zod';
      const params = z.object({ area: z.string(), depth: z.number() });
      section({ title: 'Task', key: 'task', params, template: (p) => p.${cursor} });
    `;
    expect(completionsIn(text)).toEqual(['area', 'depth']);
  });

  it('the operations of a reducer after `items.`', () => {
    const text = `
      import { defineEvent, defineSlice } from 'weakincentives';
      import { z } from 'zod';
      const schema = z.object({ id: z.string() });
      const Found = defineEvent({ name: 'found', schema });
      defineSlice({ name: 'finds', schema, reducers: (on) => [on(Found, (items) => items.${cursor})] });
    `;
    expect(completionsIn(text)).toEqual([
      'append',
      'at',
      'clear',
      'extend',
      'get',
      'keep',
      'keyOf',
      'latest',
      'length',
      'remove',
      'replace',
    ]);
  });

  it('the options of a binding', () => {
    const text = `
      import { binding, resourceToken } from 'weakincentives';
      const Mailer = resourceToken<{ send(): void }>('mailer');
      binding(Mailer, { ${cursor} });
    `;
    expect(completionsIn(text)).toEqual([
      'afterCreate',
      'create',
      'eager',
      'instance',
      'owned',
      'scope',
      'transactional',
    ]);
  });

  it('the limits of a run', () => {
    expect(completionsIn(evaluating(`{ limits: { ${cursor} } }`))).toEqual([
      'budget',
      'deadline',
      'idleTimeoutMs',
      'maxCompletionChecks',
      'maxConcurrentCalls',
      'maxInterruptions',
      'maxOutputRepairs',
      'maxRepeatedFailures',
      'maxResultCharacters',
      'maxSectionOpenings',
      'maxTurns',
    ]);
  });

  it('the type of every event of a run', () => {
    const observer = `{ onEvent: (event) => { if (event.type === '${cursor}') return; } }`;
    expect(completionsIn(evaluating(`{ observers: [${observer}] }`))).toEqual([
      'answer-restarted',
      'approval-end',
      'approval-pending',
      'approval-start',
      'budget-exceeded',
      'completion-checked',
      'context-compacted',
      'feedback-recorded',
      'hosted-approval-answered',
      'hosted-tool-called',
      'input-taken',
      'model-call-end',
      'model-call-retry',
      'model-call-start',
      'model-changed',
      'output-rejected',
      'policy-unenforced',
      'reasoning-delta',
      'run-end',
      'run-resumed',
      'run-start',
      'text-delta',
      'tool-call-end',
      'tool-call-heartbeat',
      'tool-call-progress',
      'tool-call-retry',
      'tool-call-start',
      'tool-results-dropped',
      'turn-end',
      'turn-start',
      'turns-dropped',
      'usage-counted',
    ]);
  });
});
